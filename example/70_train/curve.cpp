// Writes the loss curve, see curve.hpp.
#include "curve.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace train {

void Curve::write(const std::string& path) const
{
    nlohmann::json steps = nlohmann::json::array();
    for(const Point& p : points)
        steps.push_back({{"step", p.step}, {"loss", p.loss}, {"accuracy", p.accuracy}});
    const nlohmann::json all = {
        {"title", title}, {"device", device}, {"test_accuracy", test_accuracy}, {"curve", steps}};
    std::ofstream file(path);
    file << all.dump(1) << '\n';
    if(!file.flush())
        throw std::runtime_error("cannot write " + path);
}

} // namespace train

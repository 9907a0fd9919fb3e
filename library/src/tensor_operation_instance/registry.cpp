// The registry of all instances, made of the generated tables when it is first asked.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include "tensor_operation_instance/backward_data_instances.hpp"
#include <vector>

namespace ck::tensor_operation::device::instance {

namespace {

struct Entry
{
    Family family;
    std::vector<Instance> instances;
};

void append(std::vector<Entry>& entries,
            const Family& family,
            std::unique_ptr<BaseOperator> (*make)())
{
    Entry* entry = nullptr;
    for(Entry& e : entries)
        if(e.family == family)
            entry = &e;
    if(entry == nullptr)
        entry = &entries.emplace_back(Entry{family, {}});
    entry->instances.push_back({make()->GetTypeString(), make});
}

std::vector<Entry> collect()
{
    constexpr Layout in[]  = {Layout::nwc, Layout::nhwc, Layout::ndhwc};
    constexpr Layout wei[] = {Layout::kxc, Layout::kyxc, Layout::kzyxc};
    constexpr Layout out[] = {Layout::nwk, Layout::nhwk, Layout::ndhwk};
    std::vector<Entry> entries;
    for(const BackwardDataPart& part : backward_data_parts())
        for(const BackwardDataRow& row : part.rows)
            for(index_t r = 0; r < 3; ++r)
                append(entries,
                       {Direction::backward_data,
                        r + 1,
                        in[r],
                        wei[r],
                        out[r],
                        part.type,
                        part.type,
                        part.type},
                       row.make[r]);
    return entries;
}

} // namespace

std::span<const Instance> instances_of(const Family& family)
{
    static const std::vector<Entry> entries = collect();
    for(const Entry& e : entries)
        if(e.family == family)
            return e.instances;
    return {};
}

} // namespace ck::tensor_operation::device::instance

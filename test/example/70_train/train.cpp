// Example 70: gradients, the same bits, and that the network learns what a linear model cannot.
#include <gtest/gtest.h>

#include "linear_model.hpp"
#include "network.hpp"
#include <cmath>
#include <numeric>

namespace {

using namespace train;

const std::string quick = "^Dl<"; // kernels that are quick to emulate
const Shape small{.batch = 4, .size = 5, .channels = 4, .stages = 2, .blocks = 1};

double dot(const std::vector<float>& a, const std::vector<float>& b)
{
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.);
}

std::vector<float> along(const std::vector<float>& from, float step, const std::vector<float>& u)
{
    std::vector<float> to = from;
    for(std::size_t i = 0; i < to.size(); ++i)
        to[i] += step * u[i];
    return to;
}

std::vector<float> unit(std::vector<float> direction)
{
    const double length = std::sqrt(dot(direction, direction));
    for(float& value : direction)
        value = static_cast<float>(value / length);
    return direction;
}

/// The loss's slope at parameter i along u, by a central difference.
double slope(Network& network, const Batch& batch, std::size_t i, const std::vector<float>& u)
{
    // Small, so that few relus change sides.
    const float step              = 5e-4f;
    const std::vector<float> here = network.values(i);
    network.set(i, along(here, step, u));
    const double ahead = network.score(batch).loss;
    network.set(i, along(here, -step, u));
    const double after = network.score(batch).loss;
    network.set(i, here);
    return (ahead - after) / (2. * step);
}

// Along the gradient, which finds a wrong length, and along any direction, which finds a wrong one.
TEST(Train, GradientsAreThoseOfFiniteDifferences)
{
    const auto network = make_network(small, "f32", 3, quick);
    Random random(4);
    const Batch batch = textures(random, small.batch, small.size);
    // gammas and betas of a new network are all the same: not as they are while it learns
    for(std::size_t i = 0; i < network->parameters().size(); ++i)
        network->set(i,
                     along(network->values(i), 0.2f, random.normals(network->values(i).size(), 1)));
    network->gradients(batch);
    for(std::size_t i = 0; i < network->parameters().size(); ++i)
    {
        SCOPED_TRACE(network->parameters()[i]);
        const std::vector<float> gradient = network->gradient(i);
        const double length               = std::sqrt(dot(gradient, gradient));
        ASSERT_GT(length, 1e-3);
        const std::vector<float> any = unit(random.normals(gradient.size(), 1));
        EXPECT_NEAR(slope(*network, batch, i, unit(gradient)), length, 0.01 * length);
        EXPECT_NEAR(slope(*network, batch, i, any), dot(gradient, any), 0.01 * length);
    }
}

std::uint64_t trained(const std::string& type, std::uint64_t seed)
{
    const auto network = make_network(small, type, seed, quick);
    Random random(seed);
    for(int step = 0; step < 3; ++step)
    {
        network->gradients(textures(random, small.batch, small.size));
        network->descend(0.05f);
    }
    return network->checksum();
}

TEST(Train, TwoRunsGiveTheSameBits)
{
    for(const std::string type : {"f32", "bf16"})
    {
        EXPECT_EQ(trained(type, 1), trained(type, 1));
        EXPECT_NE(trained(type, 1), trained(type, 2)) << "the checksum does not see the weights";
    }
}

TEST(Train, LearnsWhatALinearModelCannot)
{
    const Shape shape; // the program's on the CPU
    Random of_training(1), of_test(2);
    const Batch seen  = textures(of_training, 4000, shape.size),
                fresh = textures(of_test, 256, shape.size);
    LinearModel linear(shape.size * shape.size);
    linear.learn(seen, 10, 0.002f);
    const double line = linear.accuracy(fresh);
    EXPECT_LT(line, 40); // guessing has 25
    for(const std::string type : {"f32", "bf16"})
    {
        const auto network = make_network(shape, type, 1, quick);
        Random data(5);
        const int steps = 40;
        for(int step = 0; step < steps; ++step)
        {
            network->gradients(textures(data, shape.batch, shape.size));
            network->descend(0.05f * static_cast<float>(steps - step) / steps);
        }
        int correct = 0;
        for(int image = 0; image < 256; image += shape.batch)
        {
            const auto pixels = static_cast<std::ptrdiff_t>(shape.size) * shape.size;
            const Batch part{
                {fresh.images.begin() + image * pixels,
                 fresh.images.begin() + (image + shape.batch) * pixels},
                {fresh.labels.begin() + image, fresh.labels.begin() + image + shape.batch}};
            correct += network->score(part).correct;
        }
        std::printf("%s: %.1f%%, linear %.1f%%\n", type.c_str(), correct / 2.56, line);
        EXPECT_GT(correct / 2.56, line + 30) << type;
    }
}

TEST(Train, RefusesWhatMakesNoNetwork)
{
    const auto why = [](Shape shape, const std::string& type) {
        try
        {
            make_network(shape, type, 1, "");
        }
        catch(const std::invalid_argument& e)
        {
            return std::string(e.what());
        }
        return std::string();
    };
    EXPECT_EQ(why({.batch = 0}, "f32"), "batch is 0, but must be 1 to 4096");
    EXPECT_EQ(why({.size = 3}, "f32"), "size is 3, but a texture repeats after 4 pixels");
    EXPECT_EQ(why({.stages = 9}, "f32"), "stages is 9, but must be at most 6");
    EXPECT_EQ(why({}, "f64"), "type is 'f64', but must be f32 or bf16");
    const auto network = make_network(small, "f32", 1, quick);
    Random random(1);
    EXPECT_THROW(network->score(textures(random, 3, small.size)), std::invalid_argument);
    EXPECT_THROW(network->set(0, {1.f}), std::invalid_argument);
}

} // namespace

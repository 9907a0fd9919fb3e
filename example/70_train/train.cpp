// Trains a small residual network to classify textures, with the convolutions of ck/conv.hpp and a
// few kernels of its own, on generated data; optionally on several ranks, each with a part of the
// batch.
#include "ck/distributed.hpp"
#include "ck/host_utility/device_prop.hpp"
#include "ck/library/utility/device_memory.hpp"

#include "curve.hpp"
#include "network.hpp"
#include <CLI/CLI.hpp>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <vector>

namespace {

using namespace train;

const bool on_cpu = !ck::distributed::on_gpus();

struct Options
{
    // The CPU emulates a GPU's lanes, so it gets a task that takes seconds. Its fastest kernels use
    // no matrix instructions.
    Shape shape         = on_cpu ? Shape{16, 8, 8, 2, 1} : Shape{128, 32, 64, 3, 2};
    int steps           = on_cpu ? 80 : 400;
    std::string type    = on_cpu ? "f32" : "bf16";
    std::string kernels = on_cpu ? "^Dl<" : "";
    std::uint64_t seed  = 1;
    float rate          = 0.05f;
    float noise         = 0.7f;
    std::string curve;
    int ranks = 1;
    int limit = 60; // seconds
};

Options parse(CLI::App& app, int argc, char** argv)
{
    Options o;
    app.add_option("--type", o.type, "type of images, activations and their gradients")
        ->check(CLI::IsMember({"f32", "bf16"}))
        ->capture_default_str();
    app.add_option("--size", o.shape.size, "number of rows, and of columns, of an image")
        ->capture_default_str();
    app.add_option("--batch", o.shape.batch, "number of images in a step")->capture_default_str();
    app.add_option("--channels",
                   o.shape.channels,
                   "channels of the first stage; each further stage has twice as many")
        ->capture_default_str();
    app.add_option(
           "--stages", o.shape.stages, "number of stages; each halves the size of the images")
        ->capture_default_str();
    app.add_option("--blocks",
                   o.shape.blocks,
                   "number of residual blocks, of two convolutions each, in a stage")
        ->capture_default_str();
    app.add_option("--steps", o.steps, "number of training steps")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    app.add_option("--rate", o.rate, "learning rate at the start; it falls to 0 in a straight line")
        ->capture_default_str();
    app.add_option("--noise", o.noise, "deviation of the noise; that of the texture is 1")
        ->capture_default_str();
    app.add_option("--seed", o.seed, "seed of data and filters; the same seed gives the same bits")
        ->capture_default_str();
    app.add_option("--kernels", o.kernels, "regular expression of the kernels to prefer")
        ->capture_default_str();
    app.add_option(
        "--curve", o.curve, "writes the loss curve, for script/plot curve, to this file");
    app.add_option(
           "--ranks",
           o.ranks,
           "number of threads that share the batch; with mpirun, srun or torchrun, processes do")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    app.add_option("--limit", o.limit, "seconds that a rank waits for another one")
        ->check(CLI::Range(1, 86'400))
        ->capture_default_str();
    app.parse(argc, argv);
    if(const std::string mistake = o.shape.mistake(); !mistake.empty())
        throw CLI::ValidationError(mistake);
    return o;
}

double percent(int part, int whole) { return 100. * part / whole; }

/// A rank's images of a batch.
Batch part_of(const Batch& batch, int rank, int ranks)
{
    const auto images = static_cast<std::ptrdiff_t>(batch.labels.size()) / ranks,
               pixels = static_cast<std::ptrdiff_t>(batch.images.size()) / ranks;
    return {{batch.images.begin() + rank * pixels, batch.images.begin() + (rank + 1) * pixels},
            {batch.labels.begin() + rank * images, batch.labels.begin() + (rank + 1) * images}};
}

/// The score on the images of all ranks.
class Scores
{
public:
    explicit Scores(ck::distributed::Communicator& communicator)
        : communicator_(communicator),
          sum_(communicator, 2),
          memory_(2 * sizeof(float))
    {}

    Score of_all(const Score& mine)
    {
        float numbers[]{static_cast<float>(mine.loss), static_cast<float>(mine.correct)};
        memory_.ToDevice(numbers);
        sum_.begin(static_cast<float*>(memory_.GetDeviceBuffer()), nullptr);
        sum_.finish();
        communicator_.synchronize(nullptr);
        memory_.FromDevice(numbers);
        return {numbers[0] / communicator_.size(), static_cast<int>(numbers[1])};
    }

private:
    ck::distributed::Communicator& communicator_;
    ck::distributed::AllReduce sum_;
    DeviceMem memory_;
};

/// Rank 0 prints progress. Each point of the curve is the mean over a twentieth of the steps.
std::vector<Point>
learn(Network& network, const Options& o, ck::distributed::Communicator& communicator)
{
    using Clock = std::chrono::steady_clock;
    Random data(o.seed + 1);
    Scores scores(communicator);
    const bool prints = communicator.rank() == 0;
    std::vector<Point> points;
    const int each = std::max(1, o.steps / 20);
    double loss = 0, best = 0;
    int correct = 0, counted = 0;
    auto begin = Clock::now();
    if(prints)
        std::printf("%8s %10s %10s %10s\n", "step", "loss", "accuracy", "images/s");
    for(int step = 1; step <= o.steps; ++step)
    {
        const Batch batch = textures(data, o.shape.batch, o.shape.size, o.noise);
        const Score score = scores.of_all(
            network.gradients(part_of(batch, communicator.rank(), communicator.size())));
        network.descend(o.rate * static_cast<float>(o.steps - step + 1) /
                        static_cast<float>(o.steps));
        loss += score.loss;
        correct += score.correct;
        ++counted;
        if(step % each != 0 && step != o.steps)
            continue;
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        const double speed   = counted * o.shape.batch / seconds;
        points.push_back({step, loss / counted, percent(correct, counted * o.shape.batch)});
        if(prints)
            std::printf("%8d %10.4f %9.1f%% %10.0f\n",
                        step,
                        points.back().loss,
                        points.back().accuracy,
                        speed);
        std::fflush(stdout);
        best = std::max(best, speed);
        loss = correct = counted = 0;
        begin                    = Clock::now();
    }
    if(prints)
        std::printf("fastest: %.0f images/s, with making and copying them\n", best);
    return points;
}

/// Accuracy on images that were not used in training.
double test(Network& network, const Options& o, ck::distributed::Communicator& communicator)
{
    Random data(o.seed + 2);
    Scores scores(communicator);
    int correct = 0, images = 0;
    while(images < 256)
    {
        const Batch batch = textures(data, o.shape.batch, o.shape.size, o.noise);
        correct +=
            scores.of_all(network.score(part_of(batch, communicator.rank(), communicator.size())))
                .correct;
        images += o.shape.batch;
    }
    return percent(correct, images);
}

/// One rank's training. All ranks have the same weights at all times.
void train_rank(const Options& o, ck::distributed::Communicator& communicator)
{
    const int ranks = communicator.size();
    Shape part      = o.shape;
    if(part.batch % ranks != 0)
        throw std::invalid_argument("batch is " + std::to_string(part.batch) +
                                    ", but must be a multiple of the number of ranks, " +
                                    std::to_string(ranks));
    part.batch /= ranks;
    const auto network =
        make_network(part, o.type, o.seed, o.kernels, ranks > 1 ? &communicator : nullptr);
    Curve curve;
    curve.title = "residual network, " + o.type + ", " + std::to_string(o.shape.size) + "x" +
                  std::to_string(o.shape.size) + " pixels, batch " + std::to_string(o.shape.batch);
    if(ranks > 1)
        curve.title += " on " + std::to_string(ranks) + " ranks, " + communicator.transport();
    curve.device      = ck::get_device_name();
    const bool prints = communicator.rank() == 0;
    if(prints)
        std::printf("%s on %s\n", curve.title.c_str(), curve.device.c_str());
    curve.points = learn(*network, o, communicator);
    ck::distributed::agree(communicator, "weights " + std::to_string(network->checksum()));
    curve.test_accuracy = test(*network, o, communicator);
    if(!prints)
        return;
    std::printf(
        "test: %.1f%% of new images; guessing gets %.1f%%\n", curve.test_accuracy, 100. / classes);
    std::printf("weights: %016" PRIx64 "\n", network->checksum());
    if(!o.curve.empty())
        curve.write(o.curve);
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("Trains a small residual network to tell four textures apart.");
    app.footer("Exit status: 0 done, 1 not possible, 2 wrong options.");
    try
    {
        const Options o = parse(app, argc, argv);
        return ck::distributed::run(
            o.ranks,
            [&](ck::distributed::Communicator& communicator) { train_rank(o, communicator); },
            {.wait = std::chrono::seconds(o.limit)});
    }
    catch(const CLI::ParseError& e)
    {
        return app.exit(e) == 0 ? 0 : 2;
    }
}

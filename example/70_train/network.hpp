#pragma once
// A small residual network for images of one channel. No kernel comes with this header.
#include "ck/distributed/communicator.hpp"

#include "textures.hpp"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace train {

struct Shape
{
    int batch    = 16; ///< images of a step, of one rank
    int size     = 8;  ///< rows, and columns, of an image; halved from stage to stage
    int channels = 8;  ///< of the first stage; doubled from stage to stage
    int stages   = 2;
    int blocks   = 1; ///< of two convolutions, in each stage

    /// What is wrong with it; empty: nothing.
    std::string mistake() const;
};

/// How well the network does on one batch.
struct Score
{
    double loss = 0; ///< mean of the images
    int correct = 0; ///< images
};

class Network
{
public:
    virtual ~Network() = default;

    /// The batch's loss, and the gradients in every parameter: the mean over ranks of their
    /// batches'.
    virtual Score gradients(const Batch& batch) = 0;
    /// One step of stochastic gradient descent along the last gradients.
    virtual void descend(float rate) = 0;
    /// The loss alone.
    virtual Score score(const Batch& batch) = 0;

    virtual std::vector<std::string> parameters() const                       = 0;
    virtual std::vector<float> values(std::size_t parameter) const            = 0;
    virtual std::vector<float> gradient(std::size_t parameter) const          = 0;
    virtual void set(std::size_t parameter, const std::vector<float>& values) = 0;

    /// Returns a hash (FNV-1a) of all values' bits.
    std::uint64_t checksum() const;
};

/// type: "f32" or "bf16", of images, activations and their gradients. kernels: a regular expression
/// of the names of those that are preferred, where one of them computes a pass; empty: none. Throws
/// ck::Refused where the library computes none of it. communicator: of the ranks that learn
/// together, each from a batch of its own; it has to live as long. Null: this rank alone.
std::unique_ptr<Network> make_network(const Shape& shape,
                                      const std::string& type,
                                      std::uint64_t seed,
                                      const std::string& kernels,
                                      ck::distributed::Communicator* communicator = nullptr);

} // namespace train

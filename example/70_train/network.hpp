#pragma once
// A small residual network for one-channel images. This header includes no kernel.
#include "ck/distributed/communicator.hpp"

#include "textures.hpp"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace train {

struct Shape
{
    int batch    = 16; ///< images per step and rank
    int size     = 8;  ///< rows, and columns, of an image; halved from stage to stage
    int channels = 8;  ///< channels of the first stage; doubled from stage to stage
    int stages   = 2;
    int blocks   = 1; ///< blocks in each stage, of two convolutions

    /// What is wrong with the shape; empty if it is valid.
    std::string mistake() const;
};

/// The network's score on one batch.
struct Score
{
    double loss = 0; ///< mean of the images
    int correct = 0; ///< images
};

class Network
{
public:
    virtual ~Network() = default;

    /// Computes the batch's loss and the gradients of all parameters: the mean over ranks of their
    /// batches' gradients.
    virtual Score gradients(const Batch& batch) = 0;
    /// One step of stochastic gradient descent with the last gradients.
    virtual void descend(float rate) = 0;
    /// Computes only the loss.
    virtual Score score(const Batch& batch) = 0;

    virtual std::vector<std::string> parameters() const                       = 0;
    virtual std::vector<float> values(std::size_t parameter) const            = 0;
    virtual std::vector<float> gradient(std::size_t parameter) const          = 0;
    virtual void set(std::size_t parameter, const std::vector<float>& values) = 0;

    /// Returns a hash (FNV-1a) of all values' bits.
    std::uint64_t checksum() const;
};

/// type: "f32" or "bf16", of images, activations and their gradients. kernels: a regular
/// expression; kernels whose names match are preferred for each pass; empty: no preference. Throws
/// ck::Refused if the library cannot compute a pass. communicator: connects ranks that train
/// together, each with its own batches; it must outlive the network. Null: one rank.
std::unique_ptr<Network> make_network(const Shape& shape,
                                      const std::string& type,
                                      std::uint64_t seed,
                                      const std::string& kernels,
                                      ck::distributed::Communicator* communicator = nullptr);

} // namespace train

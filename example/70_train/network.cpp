// The residual network: its layers and the order of their passes.
#include "network.hpp"

#include "ck/utility/bfloat16.hpp"

#include "convolution.hpp"
#include "gradients.hpp"
#include "head.hpp"
#include "normalisation.hpp"
#include <cstring>
#include <deque>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace train {

namespace {

using ck::ConvSpec;

ConvSpec convolution_spec(const Shape& shape, int k, int c, int size, int filter, int stride)
{
    const int pad = filter / 2;
    return {.n       = shape.batch,
            .k       = k,
            .c       = c,
            .input   = {size, size},
            .filter  = {filter, filter},
            .strides = {stride, stride},
            .pads    = {{pad, pad}, {pad, pad}}};
}

/// Convolution and normalisation, then a residual and a relu if wanted.
template <class T>
class Layer
{
public:
    Layer(const std::string& name,
          const ConvSpec& spec,
          const ck::PlanOptions& options,
          Random& random,
          bool relu,
          InputGradient input_gradient)
        : convolution(name, spec, options, random, input_gradient),
          gamma(name + " gamma", std::vector<float>(static_cast<std::size_t>(spec.k), 1.f)),
          beta(name + " beta", std::vector<float>(static_cast<std::size_t>(spec.k), 0.f)),
          relu_(relu)
    {
        const ck::Extents output = convolution.spec().output();
        shape_                   = {static_cast<index_t>(spec.n),
                                    static_cast<index_t>(output[0] * output[1]),
                                    static_cast<index_t>(spec.k),
                  spec.k % 4 == 0 ? 4 : 1};
        sum_.Realloc(bytes());
        y.Realloc(bytes());
        dy.Realloc(bytes());
        dsum_.Realloc(bytes());
        statistics_.Realloc(sizeof(Statistics) * shape_.images * shape_.groups);
    }

    std::size_t bytes() const
    {
        return sizeof(T) * static_cast<std::size_t>(shape_.images) * shape_.pixels *
               shape_.channels;
    }

    void forward(const T* x, const T* residual, void* workspace)
    {
        convolution.forward(x, at<T>(sum_), workspace);
        for_each_block(shape_.images * shape_.groups,
                       Normalise<T>{shape_,
                                    at<T>(sum_),
                                    residual,
                                    at<float>(gamma.values),
                                    at<float>(beta.values),
                                    at<T>(y),
                                    at<Statistics>(statistics_),
                                    relu_});
    }

    /// The gradients for dy. dresidual may be null.
    void backward(const T* x, T* dx, T* dresidual, void* workspace)
    {
        const NormGradient<T> in{
            shape_, at<T>(sum_), at<T>(y), at<T>(dy), at<Statistics>(statistics_), relu_};
        for_each_block(shape_.channels,
                       NormaliseBackwardParameters<T>{in, gamma.gradient, beta.gradient});
        for_each_block(shape_.images * shape_.groups,
                       NormaliseBackward<T>{in, at<float>(gamma.values), at<T>(dsum_), dresidual});
        convolution.backward_weight(x, at<T>(dsum_), workspace);
        convolution.backward_data(at<T>(dsum_), dx, workspace);
    }

    Convolution<T> convolution;
    Parameter<T> gamma, beta;
    DeviceMem y, dy;

private:
    NormShape shape_{};
    bool relu_;
    DeviceMem sum_, dsum_, statistics_; ///< for the convolution's result
};

/// relu(second(first(x)) + x); if sizes change, a convolution of x replaces the second x.
template <class T>
struct Block
{
    Layer<T> first, second;
    std::unique_ptr<Layer<T>> shortcut; ///< null: x itself

    void forward(const T* x, void* workspace)
    {
        first.forward(x, nullptr, workspace);
        if(shortcut)
            shortcut->forward(x, nullptr, workspace);
        second.forward(at<T>(first.y), shortcut ? at<T>(shortcut->y) : x, workspace);
    }

    /// ready(layer): called when a layer's gradients are on the stream.
    template <class Ready>
    void backward(const T* x, T* dx, void* workspace, const Ready& ready)
    {
        T* const residual = shortcut ? at<T>(shortcut->dy) : dx;
        second.backward(at<T>(first.y), at<T>(first.dy), residual, workspace);
        ready(second);
        if(shortcut)
        {
            shortcut->backward(x, dx, nullptr, workspace);
            ready(*shortcut);
        }
        first.backward(x, dx, nullptr, workspace); // adds to the residual's share
        ready(first);
    }
};

template <class T>
class Residual : public Network
{
public:
    Residual(const Shape& shape,
             std::uint64_t seed,
             const std::string& kernels,
             ck::distributed::Communicator* communicator)
        : shape_(shape)
    {
        Random random(seed);
        const ck::PlanOptions options{.workspace_limit = {}, .allow = kernels};
        using enum InputGradient;
        const auto layer = [&](const std::string& name,
                               const ConvSpec& spec,
                               bool relu,
                               InputGradient input_gradient) {
            return Layer<T>(name, spec, options, random, relu, input_gradient);
        };
        int size = shape.size, channels = shape.channels;
        stem_ = std::make_unique<Layer<T>>(
            layer("stem", convolution_spec(shape, channels, 1, size, 3, 1), true, none));
        for(int i = 0; i < shape.stages * shape.blocks; ++i)
        {
            const bool smaller = i > 0 && i % shape.blocks == 0; // a stage begins
            const int c = channels, in = size, stride = smaller ? 2 : 1;
            if(smaller)
                channels *= 2, size = (size + 1) / 2;
            const std::string name = "block " + std::to_string(i);
            auto first             = layer(name + " first",
                               convolution_spec(shape, channels, c, in, 3, stride),
                               true,
                               added); // to the residual's share
            auto second            = layer(name + " second",
                                convolution_spec(shape, channels, channels, size, 3, 1),
                                true,
                                written);
            std::unique_ptr<Layer<T>> shortcut;
            if(smaller)
                shortcut = std::make_unique<Layer<T>>(
                    layer(name + " shortcut",
                          convolution_spec(shape, channels, c, in, 1, stride),
                          false,
                          written));
            blocks_.push_back({std::move(first), std::move(second), std::move(shortcut)});
        }
        pixels_   = size * size;
        channels_ = channels;
        classifier_ =
            std::make_unique<Convolution<T>>("classifier",
                                             convolution_spec(shape, classes, channels, 1, 1, 1),
                                             options,
                                             random,
                                             written);
        allocate();
        allocate_gradients(communicator);
    }

    Score gradients(const Batch& batch) override
    {
        const Score result = score(batch);
        void* const ws     = workspace_.GetDeviceBuffer();
        const auto ready   = [&](const Layer<T>& layer) {
            const Parameter<T>& last = layer.convolution.filter;
            gradients_.ready(last.gradient, last.count);
        };
        classifier_->backward_weight(at<T>(features_), at<T>(dlogits_), ws);
        classifier_->backward_data(at<T>(dlogits_), at<T>(dfeatures_), ws);
        for_each(shape_.batch * pixels_ * channels_,
                 PoolBackward<T>{pixels_, channels_, at<T>(dfeatures_), at<T>(before(last()).dy)});
        for(std::size_t i = blocks_.size(); i-- > 0;)
            blocks_[i].backward(at<T>(before(i).y), at<T>(before(i).dy), ws, ready);
        stem_->backward(at<T>(images_), nullptr, nullptr, ws);
        gradients_.finish();
        return result;
    }

    void descend(float rate) override
    {
        for(Parameter<T>* const parameter : parameters_)
            parameter->descend(rate, gradients_.share());
    }

    Score score(const Batch& batch) override
    {
        const auto images = static_cast<std::size_t>(shape_.batch);
        if(batch.labels.size() != images)
            throw std::invalid_argument("a batch of " + std::to_string(batch.labels.size()) +
                                        " images, but the network's is " + std::to_string(images));
        std::vector<T> x;
        for(const float value : batch.images)
            x.push_back(ck::type_convert<T>(value));
        images_.ToDevice(x.data());
        labels_.ToDevice(batch.labels.data());

        void* const ws = workspace_.GetDeviceBuffer();
        stem_->forward(at<T>(images_), nullptr, ws);
        for(std::size_t i = 0; i < blocks_.size(); ++i)
            blocks_[i].forward(at<T>(before(i).y), ws);
        for_each(shape_.batch * channels_,
                 Pool<T>{pixels_, channels_, at<T>(before(last()).y), at<T>(features_)});
        classifier_->forward(at<T>(features_), at<T>(logits_), ws);
        for_each(shape_.batch,
                 CrossEntropy<T>{classes,
                                 shape_.batch,
                                 at<T>(logits_),
                                 at<std::int32_t>(labels_),
                                 at<float>(loss_),
                                 at<std::int32_t>(correct_),
                                 at<T>(dlogits_)});
        std::vector<float> loss(images);
        std::vector<std::int32_t> correct(images);
        loss_.FromDevice(loss.data());
        correct_.FromDevice(correct.data());
        return {std::accumulate(loss.begin(), loss.end(), 0.) / static_cast<double>(images),
                std::accumulate(correct.begin(), correct.end(), 0)};
    }

    std::vector<std::string> parameters() const override
    {
        std::vector<std::string> names;
        for(const Parameter<T>* const parameter : parameters_)
            names.push_back(parameter->name);
        return names;
    }
    std::vector<float> values(std::size_t i) const override
    {
        return numbers(*parameters_.at(i), parameters_.at(i)->values.GetDeviceBuffer());
    }
    std::vector<float> gradient(std::size_t i) const override
    {
        std::vector<float> sum = numbers(*parameters_.at(i), parameters_.at(i)->gradient);
        for(float& value : sum)
            value *= gradients_.share();
        return sum;
    }
    void set(std::size_t i, const std::vector<float>& values) override
    {
        if(values.size() != static_cast<std::size_t>(parameters_.at(i)->count))
            throw std::invalid_argument(std::to_string(values.size()) + " values for " +
                                        parameters_[i]->name + ", which has " +
                                        std::to_string(parameters_[i]->count));
        parameters_[i]->set(values);
    }

private:
    std::size_t last() const { return blocks_.size(); }

    /// The layer whose result is block i's input.
    Layer<T>& before(std::size_t i) { return i == 0 ? *stem_ : blocks_[i - 1].second; }

    static std::vector<float> numbers(const Parameter<T>& parameter, const void* memory)
    {
        std::vector<float> values(static_cast<std::size_t>(parameter.count));
        HIP_CHECK_ERROR(
            hipMemcpy(values.data(), memory, sizeof(float) * values.size(), hipMemcpyDeviceToHost));
        return values;
    }

    /// In the order of the backward pass.
    void allocate_gradients(ck::distributed::Communicator* communicator)
    {
        std::vector<Gradients::Place> places;
        const auto add       = [&](Parameter<T>& p) { places.push_back({&p.gradient, p.count}); };
        const auto add_layer = [&](Layer<T>& layer) {
            add(layer.gamma);
            add(layer.beta);
            add(layer.convolution.filter);
        };
        add(classifier_->filter);
        for(auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
        {
            add_layer(block->second);
            if(block->shortcut)
                add_layer(*block->shortcut);
            add_layer(block->first);
        }
        add_layer(*stem_);
        gradients_.allocate(places, communicator);
    }

    void allocate()
    {
        std::size_t workspace = classifier_->workspace_size();
        const auto add_layer  = [&](Layer<T>& layer) {
            workspace = std::max(workspace, layer.convolution.workspace_size());
            parameters_.insert(parameters_.end(),
                               {&layer.convolution.filter, &layer.gamma, &layer.beta});
        };
        add_layer(*stem_);
        for(Block<T>& block : blocks_)
        {
            add_layer(block.first);
            add_layer(block.second);
            if(block.shortcut)
                add_layer(*block.shortcut);
        }
        parameters_.push_back(&classifier_->filter);
        workspace_.Realloc(workspace);
        const auto batch = static_cast<std::size_t>(shape_.batch);
        images_.Realloc(sizeof(T) * batch * shape_.size * shape_.size);
        for(DeviceMem* const memory : {&features_, &dfeatures_})
            memory->Realloc(sizeof(T) * batch * channels_);
        for(DeviceMem* const memory : {&logits_, &dlogits_})
            memory->Realloc(sizeof(T) * batch * classes);
        for(DeviceMem* const memory : {&labels_, &correct_})
            memory->Realloc(sizeof(std::int32_t) * batch);
        loss_.Realloc(sizeof(float) * batch);
    }

    Shape shape_;
    index_t pixels_ = 0, channels_ = 0; ///< the last block's result
    std::unique_ptr<Layer<T>> stem_;
    std::deque<Block<T>> blocks_;
    std::unique_ptr<Convolution<T>> classifier_; ///< 1x1, of one pixel
    std::vector<Parameter<T>*> parameters_;
    Gradients gradients_;
    DeviceMem workspace_, images_, labels_, features_, dfeatures_, logits_, dlogits_, loss_,
        correct_;
};

} // namespace

std::string Shape::mistake() const
{
    const std::pair<const char*, int> counts[] = {{"batch", batch},
                                                  {"size", size},
                                                  {"channels", channels},
                                                  {"stages", stages},
                                                  {"blocks", blocks}};
    for(const auto& [name, value] : counts)
        if(value < 1 || value > 4096)
            return std::string(name) + " is " + std::to_string(value) + ", but must be 1 to 4096";
    if(size < 4)
        return "size is " + std::to_string(size) + ", but a texture repeats after 4 pixels";
    if(stages > 6)
        return "stages is " + std::to_string(stages) + ", but must be at most 6";
    return {};
}

std::uint64_t Network::checksum() const
{
    std::uint64_t sum = 0xCBF29CE484222325;
    for(std::size_t i = 0; i < parameters().size(); ++i)
        for(const float value : values(i))
        {
            unsigned char bytes[sizeof value];
            std::memcpy(bytes, &value, sizeof value);
            for(const unsigned char byte : bytes)
                sum = (sum ^ byte) * 0x100000001B3;
        }
    return sum;
}

std::unique_ptr<Network> make_network(const Shape& shape,
                                      const std::string& type,
                                      std::uint64_t seed,
                                      const std::string& kernels,
                                      ck::distributed::Communicator* communicator)
{
    if(const std::string mistake = shape.mistake(); !mistake.empty())
        throw std::invalid_argument(mistake);
    if(type == "f32")
        return std::make_unique<Residual<float>>(shape, seed, kernels, communicator);
    if(type == "bf16")
        return std::make_unique<Residual<ck::bhalf_t>>(shape, seed, kernels, communicator);
    throw std::invalid_argument("type is '" + type + "', but must be f32 or bf16");
}

} // namespace train

// Caches plans for each device, spec and options.
#include "conv/prepared.hpp"
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace ck {

namespace {

struct Key
{
    ConvSpec spec;
    PlanOptions options;
    bool whole_sums;
    int device;

    bool operator==(const Key&) const = default;
};

/// Returns a hash of the fields in which the specs of one program differ; comparisons use all
/// fields.
std::size_t hash(const ConvSpec& s, int device)
{
    std::size_t h  = 0;
    const auto add = [&](auto value) {
        h = (h ^ static_cast<std::size_t>(value)) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    };
    add(static_cast<int>(s.direction) | static_cast<int>(s.type) << 4 |
        static_cast<int>(s.layout) << 8 | device << 12 | (s.transposed ? 1 : 0) << 20 |
        static_cast<int>(s.epilogue.activation) << 21);
    add(s.n);
    add(s.k);
    add(s.c);
    add(s.groups);
    for(const Extents* list : {&s.input, &s.filter, &s.strides, &s.dilations})
        for(const long_index_t value : *list)
            add(value);
    for(const PadWidths& pad : s.pads)
    {
        add(pad.low);
        add(pad.high);
    }
    return h;
}

/// The key for a lookup, without a copy of the spec.
struct KeyView
{
    const ConvSpec& spec;
    const PlanOptions& options;
    bool whole_sums;
    int device;
};

struct Hash
{
    using is_transparent = void;
    std::size_t operator()(const Key& k) const { return hash(k.spec, k.device); }
    std::size_t operator()(const KeyView& k) const { return hash(k.spec, k.device); }
};
struct Equal
{
    using is_transparent = void;
    template <class X, class Y>
    bool operator()(const X& x, const Y& y) const
    {
        return x.device == y.device && x.whole_sums == y.whole_sums && x.spec == y.spec &&
               x.options == y.options;
    }
};

class Cache
{
public:
    /// The most plans that are cached: more specs than any training has. The cache is emptied when
    /// it is full.
    static constexpr std::size_t most = 1 << 16;

    static Cache& instance()
    {
        static Cache* const cache = new Cache; // threads may outlive static objects
        return *cache;
    }

    ConvPlan get(const ConvSpec& spec, const PlanOptions& options, bool whole_sums)
    {
        const int device      = conv::current_device();
        std::size_t clearings = 0;
        {
            const std::shared_lock lock(mutex_);
            if(const auto at = plans_.find(KeyView{spec, options, whole_sums, device});
               at != plans_.end())
                return at->second;
            clearings = clearings_;
        }
        // Several threads may do this; one result is kept.
        ConvPlan made(conv::prepare(spec, options, "", conv::tuned(spec, options), whole_sums));
        const std::unique_lock lock(mutex_);
        if(clearings != clearings_) // since then others may have changed what plans are made by
            return made;
        if(plans_.size() >= most)
            plans_.clear();
        return plans_.emplace(Key{spec, options, whole_sums, device}, std::move(made))
            .first->second;
    }

    void clear()
    {
        const std::unique_lock lock(mutex_);
        plans_.clear();
        ++clearings_;
    }

    std::size_t size()
    {
        const std::shared_lock lock(mutex_);
        return plans_.size();
    }

private:
    std::shared_mutex mutex_;
    std::size_t clearings_ = 0;
    std::unordered_map<Key, ConvPlan, Hash, Equal> plans_;
};

} // namespace

ConvPlan plan(const ConvSpec& spec, const PlanOptions& options)
{
    return Cache::instance().get(spec, options, false);
}

ConvPlan conv::plan_of_whole_sums(const ConvSpec& spec, const PlanOptions& options)
{
    return Cache::instance().get(spec, options, true);
}

void clear_plan_cache() { Cache::instance().clear(); }
std::size_t plan_cache_size() { return Cache::instance().size(); }

} // namespace ck

// Computes images that are too large for one launch in pieces, with the same kernel.
#include "rewrites/cut_image.hpp"

#include "ck/host_utility/launch_list.hpp"
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include "rewrites/cut_image_launches.hpp"
#include "rewrites/epilogue_argument.hpp"
#include "rewrites/image_pieces.hpp"
#include "rewrites/kernel_with_prologue.hpp"
#include "rewrites/moved_address.hpp"
#include "rewrites/scaled_float8.hpp"
#include "tensor_operation_instance/element_bytes.hpp"
#include "tensor_operation_instance/kernel_spans.hpp"
#include <deque>

namespace ck::tensor_operation::device::instance {

namespace {

constexpr const char* wants_sums = "the dW of an image's pieces are added up in it";

/// Which tensors are A, B and C, and their names.
struct CutRoles
{
    Role a, b, c;
    const char *a_name, *b_name, *c_name;
};
template <class D>
constexpr CutRoles cut_roles{D::a, D::b, D::c, D::a_name, D::b_name, D::c_name};

const CutRoles& cut_roles_of(Direction direction)
{
    return direction == Direction::forward         ? cut_roles<ForwardDirection>
           : direction == Direction::backward_data ? cut_roles<BackwardDataDirection>
                                                   : cut_roles<BackwardWeightDirection>;
}

/// The bytes of the widest of several types.
index_t widest_element(const std::string& types)
{
    index_t most = 1;
    for(const index_t bytes : element_bytes(types))
        most = std::max(most, bytes);
    return most;
}

ElementBytes bytes_of_family(const Family& f)
{
    const CutRoles& roles = cut_roles_of(f.direction);
    const auto of         = [&](Role role) {
        return widest_element(role == roles.a ? f.a : role == roles.b ? f.b : f.c);
    };
    return {of(Role::input), of(Role::filter), of(Role::output)};
}

/// The family of the kernels that compute pieces: for dW, one whose sums are not rounded.
Family family_of_pieces(const Family& family)
{
    if(family.direction != Direction::backward_weight)
        return family;
    Family f = without_operation(family);
    if(f.c != type_name<double>)
        f.c = type_name<float>;
    return f;
}

std::vector<ImageOperand> operands_beside(const Family& family, const ConvArgument& argument)
{
    std::vector<ImageOperand> all;
    const std::vector<index_t> bytes = element_bytes(family.d);
    if(family.direction != Direction::backward_weight)
        for(std::size_t i = 0; i < std::min(bytes.size(), argument.d.size()); ++i)
            all.push_back({argument.d[i], bytes[i]});
    return all;
}

std::optional<ImagePieces> pieces_of(const Family& family, const ConvArgument& argument)
{
    if(!check_argument(argument) || argument.epilogue.exists ||
       (is_scaled_float8(family) && !has_scaled_pieces(family, argument)))
        return std::nullopt;
    return ImagePieces::of(family.direction,
                           argument.problem,
                           bytes_of_family(family),
                           operands_beside(family, argument));
}

/// What kernels require of tensors, checked for the whole ones.
Support check_whole(const Family& family, const ConvArgument& argument)
{
    const std::vector<index_t> a = element_bytes(family.a), b = element_bytes(family.b),
                               d = element_bytes(family.d);
    if(argument.a.size() != a.size() || argument.b.size() != b.size() ||
       argument.d.size() != d.size())
        return refused("the argument has " + std::to_string(argument.a.size()) + " A, " +
                       std::to_string(argument.b.size()) + " B and " +
                       std::to_string(argument.d.size()) + " D tensors, but the family has " +
                       std::to_string(a.size()) + ", " + std::to_string(b.size()) + " and " +
                       std::to_string(d.size()));
    const CutRoles& roles     = cut_roles_of(family.direction);
    const ConvProblem& p      = argument.problem;
    const TensorLengths whole = lengths_of(p, roles.c);
    const TensorMemory c{
        roles.c_name, argument.c, whole, strides_of(p, roles.c), widest_element(family.c)};
    Support s        = check_written(c.name, c.lengths, c.strides);
    const auto apart = [&](const TensorMemory& read, bool may_be_in_place) {
        if(s && !(may_be_in_place && in_place(c, read)))
            s = check_apart(c, read);
    };
    for(std::size_t i = 0; i < a.size(); ++i)
        apart({roles.a_name, argument.a[i], lengths_of(p, roles.a), strides_of(p, roles.a), a[i]},
              false);
    for(std::size_t i = 0; i < b.size(); ++i)
        apart({roles.b_name, argument.b[i], lengths_of(p, roles.b), strides_of(p, roles.b), b[i]},
              false);
    for(std::size_t i = 0; i < d.size(); ++i)
    {
        const DArgument& of         = argument.d[i];
        const TensorLengths lengths = lengths_of_d(whole, of);
        if(s)
            s = ck::detail::addressable("D tensor", "GNCDHW", lengths, of.strides);
        apart({"D", of.pointer, lengths, of.strides, d[i]}, true);
    }
    return s;
}

/// The arguments of kernels, and what is done with their dW.
struct CutArgument
{
    Support valid; ///< why it is not cut; if it refuses, nothing else is set
    std::vector<ConvArgument> pieces;
    std::size_t sum_bytes = 0; ///< of a dW in the workspace, which has two; 0: Y and dX are stored
    EpilogueLaunch add{};      ///< adds the second sum to the first
    EpilogueLaunch last{};     ///< writes the first sum to dW

    static CutArgument of(const Family& family, const ConvArgument& argument)
    {
        CutArgument r;
        const auto cut = pieces_of(family, argument);
        r.valid        = cut ? check_whole(family, argument)
                             : refused("this kernel is for images that are too large for one launch "
                                       "or workspace, and that cuts make small enough");
        if(r.valid && family.direction == Direction::backward_weight)
            r.make_sums(family, argument);
        if(r.valid)
            for(const ImagePiece& piece : cut->pieces)
                r.add_piece(family, argument, piece);
        return r;
    }

    /// One piece of each kind that kernels answer alike, with the number of such pieces.
    std::vector<std::pair<const ConvArgument*, int>> distinct() const
    {
        std::vector<std::pair<const ConvArgument*, int>> r;
        const auto residue = [](const void* at) {
            return reinterpret_cast<std::uintptr_t>(at) % 16;
        };
        const auto alike = [&](const ConvArgument& x, const ConvArgument& y) {
            bool same = x.problem == y.problem && residue(x.c) == residue(y.c);
            for(std::size_t i = 0; i < x.a.size(); ++i)
                same = same && residue(x.a[i]) == residue(y.a[i]);
            for(std::size_t i = 0; i < x.b.size(); ++i)
                same = same && residue(x.b[i]) == residue(y.b[i]);
            for(std::size_t i = 0; i < x.d.size(); ++i)
                same = same && residue(x.d[i].pointer) == residue(y.d[i].pointer);
            return same;
        };
        for(const ConvArgument& piece : pieces)
        {
            const auto known = std::find_if(
                r.begin(), r.end(), [&](const auto& other) { return alike(*other.first, piece); });
            if(known == r.end())
                r.emplace_back(&piece, 1);
            else
                ++known->second;
        }
        return r;
    }

    void* sum_at(const ConvArgument& argument, std::size_t i) const
    {
        return in_workspace(argument, (i == 0 ? 0 : 1) * sum_bytes);
    }

    /// Adds the second sum to the first.
    void add_up(const ConvArgument& argument, LaunchList& list) const
    {
        EpilogueLaunch how    = add;
        how.d[0].pointer      = sum_at(argument, 0);
        list.changes_in_place = true;
        apply_epilogue(how, sum_at(argument, 1), sum_at(argument, 0), list);
    }
    /// Writes dW.
    void finish(const ConvArgument& argument, LaunchList& list) const
    {
        const void* const sums = sum_at(argument, 0);
        if(last.type == add.type)
            return apply_epilogue(last, sums, argument.c, list);
        RoundedSums how{last.type,
                        last.lengths,
                        last.result,
                        last.sum,
                        last.operation.scale,
                        last.factor[0],
                        {}};
        if(last.operation.place1 != element_wise::ConvEpilogue::Place::nowhere)
            how.d = last.d[0];
        round_sums(how, sums, argument.c, list);
    }
    /// Clock cycles of these launches.
    double predicted() const
    {
        if(sum_bytes == 0)
            return 0;
        const auto launches = static_cast<double>(pieces.size());
        return predicted_transposition(3 * static_cast<double>(sum_bytes)) * (launches - 1) +
               predicted_transposition(2 * static_cast<double>(sum_bytes));
    }

private:
    void make_sums(const Family& family, const ConvArgument& argument)
    {
        if(const std::string why = why_not_cut(family, argument.problem); !why.empty())
        {
            valid = refused(why);
            return;
        }
        const ConvProblem& p = argument.problem;
        last                 = {family.c, p.filter_lengths(), p.filter_strides, {}, {}, {1, 1}, {}};
        if(family.operation_c != "PassThrough")
        {
            const EpilogueArgument epilogue = EpilogueArgument::of(family, argument);
            valid                           = epilogue.valid;
            if(!valid)
                return;
            last = epilogue.launch;
        }
        const TensorStrides packed = packed_in_order(last.lengths, last.result);
        last.sum                   = packed;
        add = {family_of_pieces(family).c, last.lengths, packed, packed, {}, {1, 1}, {}};
        add.operation.place1 = element_wise::ConvEpilogue::Place::before;
        add.d[0].strides     = packed;
        const auto count     = static_cast<std::size_t>(element_count(last.lengths));
        const auto bytes     = static_cast<std::size_t>(bytes_of_type(add.type));
        sum_bytes            = (count * bytes + 127) / 128 * 128;
    }

    void add_piece(const Family& family, const ConvArgument& argument, const ImagePiece& piece)
    {
        const CutRoles& roles = cut_roles_of(family.direction);
        const auto first      = [&](Role role) {
            return piece.offset(role, strides_of(argument.problem, role));
        };
        ConvArgument r        = argument;
        r.problem             = piece.problem;
        std::uintptr_t number = 1; // number of the tensor
        const auto move_all =
            [&](std::vector<const void*>& tensors, const std::string& types, Role role) {
                const std::vector<index_t> bytes = element_bytes(types);
                for(std::size_t i = 0; i < tensors.size(); ++i)
                    tensors[i] = moved(tensors[i], number++, first(role), bytes[i]);
            };
        move_all(r.a, family.a, roles.a);
        move_all(r.b, family.b, roles.b);
        if(sum_bytes > 0)
        {
            r.problem.filter_strides = last.sum;
            r.c                      = sum_at(argument, pieces.size());
            r.operation_c            = &no_operation;
            r.d.clear();
            r.workspace = in_workspace(argument, 2 * sum_bytes);
        }
        else
        {
            r.c = moved(r.c, number++, first(roles.c), widest_element(family.c));
            const std::vector<index_t> bytes = element_bytes(family.d);
            for(std::size_t i = 0; i < r.d.size(); ++i)
                r.d[i].pointer = moved(
                    r.d[i].pointer, number++, piece.offset(roles.c, r.d[i].strides), bytes[i]);
        }
        pieces.push_back(std::move(r));
    }
};

/// A kernel that is asked about pieces, and computes them.
struct KernelOfPieces
{
    const Family& family;
    const ConvKernel& kernel;

    /// The arguments for questions to kernels.
    static CutArgument asked(const Family& family, ConvArgument argument, bool has_workspace)
    {
        argument.workspace = nullptr;
        CutArgument r      = CutArgument::of(family, argument);
        if(has_workspace)
            for(ConvArgument& piece : r.pieces)
                piece.workspace = reinterpret_cast<void*>(std::uintptr_t{16});
        return r;
    }

    Support supports(const ConvArgument& argument) const
    {
        if(const Support s = check_workspace(argument.workspace); !s)
            return s;
        const CutArgument cut = asked(family, argument, argument.workspace != nullptr);
        if(!cut.valid)
            return cut.valid;
        for(const auto& [piece, number] : cut.distinct())
            if(const Support s = kernel.supports(*piece); !s)
                return s;
        if(cut.sum_bytes > 0 && argument.workspace == nullptr)
            return no_workspace(workspace_size(argument), wants_sums);
        return {};
    }
    std::size_t workspace_size(const ConvArgument& argument) const
    {
        const CutArgument cut = asked(family, argument, true);
        std::size_t most      = 0;
        for(const auto& [piece, number] : cut.distinct())
        {
            if(!kernel.supports(*piece))
                return 0;
            most = std::max(most, kernel.workspace_size(*piece));
        }
        return 2 * cut.sum_bytes + most;
    }
    void add(const ConvArgument& argument, LaunchList& list) const
    {
        const CutArgument cut = CutArgument::of(family, argument);
        if(!cut.valid)
            throw std::runtime_error("the kernel does not support this: " + cut.valid.reason);
        if(cut.sum_bytes > 0 && argument.workspace == nullptr)
            throw std::runtime_error(std::string("there is no workspace, but ") + wants_sums);
        require_tensors(argument);
        for(std::size_t i = 0; i < cut.pieces.size(); ++i)
        {
            kernel.add(cut.pieces[i], list);
            if(cut.sum_bytes > 0 && i > 0)
                cut.add_up(argument, list);
        }
        if(cut.sum_bytes > 0)
            cut.finish(argument, list);
    }
    double predict(const ConvArgument& argument) const
    {
        const CutArgument cut = asked(family, argument, true);
        double time           = cut.predicted();
        for(const auto& [piece, number] : cut.distinct())
        {
            const double of_piece = kernel.predict(*piece);
            if(of_piece == 0)
                return 0;
            time += number * of_piece;
        }
        return cut.valid ? time : 0;
    }

    /// The pieces of an argument, for all kernels.
    struct ForAll
    {
        ForAll(const Family& family, const ConvArgument& argument)
            : cut(asked(family, argument, argument.workspace != nullptr)),
              may(check_workspace(argument.workspace) && cut.valid &&
                  (argument.workspace != nullptr || cut.sum_bytes == 0)),
              predicted(cut.predicted())
        {
            for(const auto& [piece, number] : cut.distinct())
            {
                pieces.emplace_back(*piece);
                numbers.push_back(number);
            }
        }

        CutArgument cut;
        bool may;
        double predicted;
        std::deque<AskedArgument> pieces;
        std::vector<int> numbers;
    };
    std::optional<double> predict_if_supported(const AskedArgument& argument) const
    {
        const ForAll& all =
            argument.once<ForAll>(&family, [&] { return ForAll(family, argument.argument); });
        if(!all.may)
            return std::nullopt;
        double time       = all.predicted;
        bool has_no_model = false;
        for(std::size_t i = 0; i < all.pieces.size(); ++i)
        {
            all.pieces[i].below = (argument.below - time) / all.numbers[i];
            const auto of_piece = ask(kernel, all.pieces[i]);
            if(!of_piece)
                return std::nullopt;
            has_no_model = has_no_model || *of_piece == 0;
            time += all.numbers[i] * *of_piece;
        }
        return has_no_model ? 0 : time;
    }

private:
    /// Called before addresses are moved, after which they are no longer null.
    void require_tensors(const ConvArgument& argument) const
    {
        const CutRoles& roles = cut_roles_of(family.direction);
        const ConvProblem& p  = argument.problem;
        for(const void* const a : argument.a)
            require_address(roles.a_name, lengths_of(p, roles.a), a);
        for(const void* const b : argument.b)
            require_address(roles.b_name, lengths_of(p, roles.b), b);
        require_address(roles.c_name, lengths_of(p, roles.c), argument.c);
        for(const DArgument& d : argument.d)
            require_address("D", lengths_of(p, roles.c), d.pointer);
    }
};

/// The kernels of a family that were requested.
class FamilyOfPieces
{
public:
    explicit FamilyOfPieces(const Family& of) : family(of) {}
    FamilyOfPieces(const FamilyOfPieces&)            = delete;
    FamilyOfPieces& operator=(const FamilyOfPieces&) = delete;

    const ConvKernel& on_pieces(const ConvKernel& kernel)
    {
        for(const Made& made : made_)
            if(made.inner == &kernel)
                return made.kernel;
        const KernelOfPieces k{family, kernel};
        made_.push_back({&kernel,
                         {"CutImage<" + kernel.name + '>',
                          [k](const ConvArgument& a) { return k.supports(a); },
                          [k](const ConvArgument& a) { return k.workspace_size(a); },
                          [k](const ConvArgument& a, LaunchList& l) { k.add(a, l); },
                          [k](const ConvArgument& a) { return k.predict(a); },
                          [k](const AskedArgument& a) { return k.predict_if_supported(a); }}});
        return made_.back().kernel;
    }

    const Family family;

private:
    struct Made // not std::pair, in which HIP's clang 15 crashes
    {
        const ConvKernel* inner;
        ConvKernel kernel;
    };
    std::list<Made> made_; ///< for kernels that live as long
};

} // namespace

std::vector<const ConvKernel*> kernels_on_pieces(const Family& family, const ConvArgument& argument)
{
    const auto cut = pieces_of(family, argument);
    if(!cut)
        return {};
    // Searches for kernels that compute interior pieces; all pieces are asked about.
    const Family inner      = family_of_pieces(family);
    const CutArgument whole = KernelOfPieces::asked(family, argument, true);
    if(!whole.valid)
        return {};
    static std::mutex mutex;
    static std::list<FamilyOfPieces> all; // for the families that were requested
    const auto kernels = kernels_for_one_launch(inner, whole.pieces[whole.pieces.size() / 2]);
    const std::lock_guard lock(mutex);
    auto made =
        std::find_if(all.begin(), all.end(), [&](const auto& f) { return f.family == family; });
    if(made == all.end())
        made = all.emplace(all.end(), family);
    std::vector<const ConvKernel*> r;
    for(const ConvKernel* const kernel : kernels)
        r.push_back(&made->on_pieces(*kernel));
    return r;
}

std::string cut_in_words(const Family& family, const ConvArgument& argument)
{
    const auto cut = pieces_of(family, argument);
    if(!cut)
        return "";
    constexpr const char* names[]{"D", "H", "W"};
    long_index_t pieces = 1;
    std::string along;
    for(std::size_t i = 0; i < 3; ++i)
        if(const long_index_t parts = cut->parts[i]; parts > 1)
        {
            pieces *= parts;
            along += (along.empty() ? "" : ", ") + std::to_string(parts) + " along " + names[i];
        }
    if(pieces == 1 && PieceBytes::most() != any_bytes)
        return "the images into " + std::to_string(cut->pieces.size()) + " pieces, of at most " +
               std::to_string(cut->images);
    if(pieces == 1)
        return "each image into 1 piece, without the rows that no window reaches";
    return "each image into " + std::to_string(pieces) + " pieces, " + along;
}

std::string why_not_cut(const Family& family, const ConvProblem& problem)
{
    if(family.direction == Direction::backward_weight &&
       (kernels_of(family_of_pieces(family)).empty() || epilogue_element_bytes(family.c) == 0 ||
        (family.operation_c != "PassThrough" && !has_epilogue_argument(family))))
        return "pieces of dW of " + family.c +
               " are rounded or saturated, so that they cannot be added up, and the library has no "
               "kernels with sums of f32 of these operands";
    if(ImagePieces::of(family.direction, problem, bytes_of_family(family), {}))
        return "";
    return "no cut along D, H or W into at most " + std::to_string(ImagePieces::most) +
           " pieces in all makes pieces that a launch reaches";
}

} // namespace ck::tensor_operation::device::instance

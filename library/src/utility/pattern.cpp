// Regular expressions as steps. All steps that a text may be at are followed at the same time, so
// nothing is tried twice.
#include "ck/library/utility/pattern.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

namespace ck::utils {

namespace {

constexpr std::size_t most_characters = 1000, most_steps = 2000;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

} // namespace

/// Reads an expression by recursive descent into a tree, and writes the tree as steps.
class PatternReader
{
public:
    explicit PatternReader(std::string_view text) : text_(text) {}

    void read_into(Pattern& pattern)
    {
        if(text_.size() > most_characters)
            throw std::invalid_argument("it has " + std::to_string(text_.size()) +
                                        " characters, but may have " +
                                        std::to_string(most_characters));
        const Node all = alternatives();
        if(at_ < text_.size())
            refuse(") closes nothing");
        steps_ = &pattern.steps_;
        steps_->push_back({.kind = Kind::match});
        pattern.first_ = write(all, 0);
    }

private:
    using Characters = Pattern::Characters;
    using Kind       = Pattern::Kind;

    struct Node
    {
        enum
        {
            step,         ///< `kind`, of `characters`
            sequence,     ///< `parts`, one after another
            alternatives, ///< one of `parts`
            repeat        ///< the one part, `least` to `most` times
        } type    = sequence;
        Kind kind = Kind::character;
        Characters characters{};
        std::vector<Node> parts{};
        std::size_t least = 0, most = 0;
    };
    static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

    [[noreturn]] void refuse(const std::string& reason) const
    {
        throw std::invalid_argument("at character " + std::to_string(at_ + 1) + ": " + reason);
    }
    bool is_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }
    bool take(std::string_view what)
    {
        const bool is = is_at(what);
        at_ += is ? what.size() : 0;
        return is;
    }
    char next(const char* of)
    {
        if(at_ == text_.size())
            refuse(std::string(of) + " ends too early");
        return text_[at_++];
    }

    static void add(Characters& to, unsigned char c) { to[c / 64] |= std::uint64_t{1} << c % 64; }
    static void invert(Characters& characters)
    {
        for(std::uint64_t& word : characters)
            word = ~word;
    }
    /// Adds all characters c for which f(c) is true, or all others.
    template <class F>
    static void add_if(Characters& to, const F& f, bool others = false)
    {
        for(int c = 0; c < 256; ++c)
            if((f(c) != 0) != others)
                add(to, static_cast<unsigned char>(c));
    }

    Node alternatives()
    {
        std::vector<Node> all{sequence()};
        while(take("|"))
            all.push_back(sequence());
        if(all.size() == 1)
            return std::move(all[0]);
        return {.type = Node::alternatives, .parts = std::move(all)};
    }
    Node sequence()
    {
        Node all;
        while(at_ < text_.size() && !is_at("|") && !is_at(")"))
            all.parts.push_back(repeated());
        return all;
    }
    Node repeated()
    {
        Node node = one();
        while(at_ < text_.size())
        {
            std::size_t least = 0, most = unlimited;
            if(take("+"))
                least = 1;
            else if(take("?"))
                most = 1;
            else if(take("{"))
            {
                least = number();
                most  = !take(",") ? least : is_at("}") ? unlimited : number();
                if(!take("}"))
                    refuse("{ of a repeat is not closed");
                if(most < least)
                    refuse("a repeat's numbers descend");
            }
            else if(!take("*"))
                break;
            take("?"); // as few as possible: this does not change whether there is a match
            Node repeat{.type = Node::repeat, .least = least, .most = most};
            repeat.parts.push_back(std::move(node));
            node = std::move(repeat);
        }
        return node;
    }
    std::size_t number()
    {
        std::size_t n           = 0;
        const std::size_t begin = at_;
        while(at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0)
            n = std::min<std::size_t>(n * 10 + static_cast<std::size_t>(text_[at_++] - '0'),
                                      100000);
        if(at_ == begin)
            refuse("{ is not a repeat (write \\{ for the character)");
        return n;
    }
    Node one()
    {
        const auto of_kind = [](Kind kind) { return Node{.type = Node::step, .kind = kind}; };
        const char c       = next("the expression");
        Node node          = of_kind(Kind::character);
        switch(c)
        {
        case '(': {
            if(!take("?:") && is_at("?"))
                refuse("lookahead is not taken, ( and (?: are");
            Node inner = alternatives();
            if(!take(")"))
                refuse("( is not closed");
            return inner;
        }
        case '[':
            bracket(node.characters);
            return node;
        case '\\':
            return escaped();
        case '.':
            add_if(node.characters, [](int i) { return i != '\n' && i != '\r'; });
            return node;
        case '^':
            return of_kind(Kind::begin);
        case '$':
            return of_kind(Kind::end);
        case '*':
        case '+':
        case '?':
        case '{':
            --at_;
            refuse(std::string(1, c) + " repeats nothing (write \\" + c + " for the character)");
        default:
            add(node.characters, static_cast<unsigned char>(c));
            return node;
        }
    }
    /// What follows a backslash outside brackets.
    Node escaped()
    {
        Node node{.type = Node::step};
        if(take("b"))
            node.kind = Kind::boundary;
        else if(take("B"))
            node.kind = Kind::no_boundary;
        else
            add_escaped(node.characters);
        return node;
    }
    /// Adds what follows a backslash. Returns whether it is one character, and its code.
    std::pair<bool, unsigned char> add_escaped(Characters& to)
    {
        const char c = next("\\");
        switch(c)
        {
        case 'd':
        case 'D':
            add_if(
                to, [](int i) { return std::isdigit(i); }, c == 'D');
            return {false, 0};
        case 's':
        case 'S':
            add_if(
                to, [](int i) { return std::isspace(i); }, c == 'S');
            return {false, 0};
        case 'w':
        case 'W':
            add_if(
                to, [](int i) { return is_word(static_cast<char>(i)); }, c == 'W');
            return {false, 0};
        default:
            break;
        }
        const auto code = static_cast<unsigned char>(c == 't' ? '\t' : c == 'n' ? '\n' : c);
        if(std::isdigit(static_cast<unsigned char>(c)) != 0)
            refuse("back-references are not taken");
        if(code == static_cast<unsigned char>(c) && is_word(c))
            refuse(std::string("\\") + c + " has no meaning");
        add(to, code);
        return {true, code};
    }
    /// Reads [...] after the [.
    void bracket(Characters& to)
    {
        const bool others = take("^");
        bool is_first     = true; // ] is an ordinary character there
        while(is_first || !is_at("]"))
        {
            is_first = false;
            if(take("[:"))
            {
                named(to);
                continue;
            }
            const auto [single, low] = bracket_character(to);
            if(!is_at("-") || text_.substr(at_ + 1).starts_with("]"))
                continue;
            take("-");
            const auto [also_single, high] = bracket_character(to);
            if(!single || !also_single || high < low)
                refuse("a range in [ ] does not ascend from a character to another");
            for(int code = low; code <= high; ++code)
                add(to, static_cast<unsigned char>(code));
        }
        take("]");
        if(others)
            invert(to);
    }
    std::pair<bool, unsigned char> bracket_character(Characters& to)
    {
        const char c = next("[");
        if(c == '\\')
            return add_escaped(to);
        const auto code = static_cast<unsigned char>(c);
        add(to, code);
        return {true, code};
    }
    /// Reads [:name:] after the [:.
    void named(Characters& to)
    {
        constexpr std::pair<std::string_view, int (*)(int)> classes[]{{"alpha:]", std::isalpha},
                                                                      {"digit:]", std::isdigit},
                                                                      {"alnum:]", std::isalnum},
                                                                      {"upper:]", std::isupper},
                                                                      {"lower:]", std::islower},
                                                                      {"space:]", std::isspace},
                                                                      {"punct:]", std::ispunct},
                                                                      {"xdigit:]", std::isxdigit}};
        for(const auto& [name, is] : classes)
            if(take(name))
            {
                add_if(to, is);
                return;
            }
        refuse("there is no such [: :] (alpha, digit, alnum, upper, lower, space, punct, xdigit)");
    }

    std::uint32_t put(Pattern::Step step)
    {
        if(steps_->size() == most_steps)
            throw std::invalid_argument("its repeats make it more than " +
                                        std::to_string(most_steps) + " steps");
        steps_->push_back(step);
        return static_cast<std::uint32_t>(steps_->size() - 1);
    }
    /// Writes a node that is followed by a step; returns its first step. Works from the last to the
    /// first, so that a step's successors are known.
    std::uint32_t write(const Node& node, std::uint32_t then)
    {
        if(++written_ > 10 * most_steps) // nested repeats of nothing
            throw std::invalid_argument("its repeats are nested too often");
        switch(node.type)
        {
        case Node::step:
            return put({.kind = node.kind, .next = then, .characters = node.characters});
        case Node::sequence:
            for(auto part = node.parts.rbegin(); part != node.parts.rend(); ++part)
                then = write(*part, then);
            return then;
        case Node::alternatives: {
            std::uint32_t first = write(node.parts.back(), then);
            for(std::size_t i = node.parts.size() - 1; i-- > 0;)
                first =
                    put({.kind = Kind::fork, .next = write(node.parts[i], then), .other = first});
            return first;
        }
        case Node::repeat:
            break;
        }
        const Node& part = node.parts[0];
        if(node.most == unlimited)
        {
            const std::uint32_t fork = put({.kind = Kind::fork, .other = then});
            const std::uint32_t body = write(part, fork);
            (*steps_)[fork].next     = body;
            then                     = fork;
        }
        else
            for(std::size_t i = node.least; i < node.most; ++i)
                then = put({.kind = Kind::fork, .next = write(part, then), .other = then});
        for(std::size_t i = 0; i < node.least; ++i)
            then = write(part, then);
        return then;
    }

    std::string_view text_;
    std::size_t at_                    = 0;
    std::vector<Pattern::Step>* steps_ = nullptr;
    std::size_t written_               = 0;
};

Pattern::Pattern(std::string_view expression) { PatternReader(expression).read_into(*this); }

bool Pattern::is_in(std::string_view text) const
{
    // The character steps that the text may be at, before and after one of its characters.
    std::vector<std::uint32_t> now, then, open;
    std::vector<std::size_t> seen(steps_.size(), 0); // the place where it was last seen, from 1 on
    // Adds what can be reached from a step at a place without a character; returns whether that
    // includes the end.
    const auto reach = [&](std::vector<std::uint32_t>& to, std::uint32_t from, std::size_t place) {
        open.assign(1, from);
        while(!open.empty())
        {
            const std::uint32_t i = open.back();
            open.pop_back();
            if(seen[i] == place + 1)
                continue;
            seen[i]             = place + 1;
            const Step& s       = steps_[i];
            const bool boundary = (place > 0 && is_word(text[place - 1])) !=
                                  (place < text.size() && is_word(text[place]));
            switch(s.kind)
            {
            case Kind::match:
                return true;
            case Kind::character:
                to.push_back(i);
                break;
            case Kind::fork:
                open.push_back(s.other);
                open.push_back(s.next);
                break;
            default:
                if(s.kind == Kind::begin      ? place == 0
                   : s.kind == Kind::end      ? place == text.size()
                   : s.kind == Kind::boundary ? boundary
                                              : !boundary)
                    open.push_back(s.next);
            }
        }
        return false;
    };
    for(std::size_t place = 0;; ++place)
    {
        if(reach(now, first_, place)) // a match may start anywhere
            return true;
        if(place == text.size())
            return false;
        then.clear();
        const auto c = static_cast<unsigned char>(text[place]);
        for(const std::uint32_t i : now)
            if((steps_[i].characters[c / 64] >> c % 64 & 1) != 0 &&
               reach(then, steps_[i].next, place + 1))
                return true;
        std::swap(now, then);
    }
}

} // namespace ck::utils

#pragma once
// Plays a pipeline schedule at compile time, with slices as numbers, and checks every step.
#include "ck/tensor_operation/gpu/block/pipeline/stages.hpp"
#include "ck/utility/integer.hpp"

namespace ck::block::test {

/// What a schedule must keep to, whatever order its waves run in:
///   - registers hold one slice; it is staged before the next one is fetched,
///   - between a stage and the multiplication that reads it lies a wait,
///   - between a multiplication and the stage that overwrites what it read lies a wait,
///   - slices are fetched, staged and multiplied in order, once each,
///   - what is multiplied in parts is read in order, once each, before what read it is overwritten,
///   - where they come in runs, a run is begun when the last one's slices have been fetched.
struct Trace
{
    static constexpr index_t most_buffers = 4;

    bool ok         = true;
    bool overlapped = true; // the next slice was on its way during every multiplication
    index_t slices  = 0;
    index_t fetched = 0, staged = 0, multiplied = 0, waits = 0;
    bool registers_full = false;
    index_t slice_in[most_buffers]{-1, -1, -1, -1};
    bool written[most_buffers]{}, read[most_buffers]{}; // since the last wait

    // Slices whose first operands are in registers, and whose last; -1: none.
    index_t first = -1, last = -1;

    constexpr void fetch()
    {
        ok             = ok && !registers_full && fetched < slices;
        registers_full = true;
        ++fetched;
    }
    index_t in_run = 0, runs = 0; // slices of the run that are not fetched yet; runs begun

    /// Runs of 1, 2, 3 and again 1 slices; the last may be said to be longer than it is.
    constexpr index_t begin_run()
    {
        ok     = ok && in_run == 0;
        in_run = 1 + runs++ % 3;
        return in_run;
    }
    constexpr void fetch_of_run()
    {
        ok = ok && in_run > 0;
        --in_run;
        fetch();
    }
    constexpr void stage(index_t b)
    {
        ok             = ok && registers_full && !read[b];
        ok             = ok && slice_in[b] < multiplied + (last >= 0); // none is lost
        slice_in[b]    = staged++;
        registers_full = false;
        written[b]     = true;
    }
    constexpr void wait()
    {
        for(index_t b = 0; b < most_buffers; ++b)
            written[b] = read[b] = false;
        ++waits;
    }
    constexpr void wait_read()
    {
        for(bool& is_read : read)
            is_read = false;
        ++waits;
    }
    constexpr void multiply(index_t b)
    {
        ok      = ok && slice_in[b] == multiplied && !written[b];
        read[b] = true;
        ++multiplied;
        overlapped = overlapped && fetched == math::min(multiplied + 1, slices);
    }
    // The same in steps.
    constexpr void read_first(index_t b)
    {
        ok = ok && first < 0 && slice_in[b] == (last < 0 ? multiplied : last + 1) && !written[b];
        read[b] = true;
        first   = slice_in[b];
    }
    constexpr void multiply_but_last(index_t b)
    {
        ok      = ok && first == slice_in[b] && first == multiplied && last < 0 && !written[b];
        read[b] = true;
        last    = first;
        first   = -1;
    }
    constexpr void multiply_half() { ok = ok && last == multiplied; }
    constexpr void multiply_other_half(index_t next)
    {
        read_first(next);
        multiply_last();
    }
    constexpr void multiply_last()
    {
        ok   = ok && last == multiplied;
        last = -1;
        ++multiplied;
        overlapped = overlapped && fetched == math::min(multiplied + 2, slices);
    }
};
static_assert(RunStages<Trace>);

template <class Schedule>
constexpr Trace played(index_t slices)
{
    Trace trace;
    trace.slices = slices;
    Schedule::run(trace, slices);
    return trace;
}

template <class Schedule>
constexpr bool is_right(index_t slices)
{
    const Trace t = played<Schedule>(slices);
    return t.ok && t.overlapped && !t.registers_full && t.fetched == slices && t.staged == slices &&
           t.multiplied == slices;
}

} // namespace ck::block::test

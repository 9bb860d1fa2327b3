// Collectives: the ranks are pointers in one process.
#pragma once

#include "../pto-inst.hpp"

#include <tuple>
#include <type_traits>

namespace pto::comm {

enum class CollEngine { AIV, CCU };
enum class ReduceOp { Sum, Max, Min };

// What the CCU is triggered with: the CKE slot's address and the gate mask.
struct CcuTriggerContext {
    uint64_t ckeSlotVA{0};
    uint32_t mask{0};
};

template <typename Tensor>
struct ParallelGroup {
    using value_type = Tensor;
    Tensor *tensors;
    int size, root;

    ParallelGroup(Tensor *members, int count, int root_rank) : tensors(members), size(count), root(root_rank) {}
    int GetRootIdx() const { return root; }
};

namespace reference {

// The CCU takes its trigger context first; the other engine takes nothing more.
template <CollEngine engine, typename... Args>
constexpr bool triggered()
{
    if constexpr (engine == CollEngine::AIV) {
        return sizeof...(Args) == 0;
    } else if constexpr (sizeof...(Args) == 0) {
        return false;
    } else {
        return std::is_same_v<std::tuple_element_t<0, std::tuple<Args...>>, CcuTriggerContext>;
    }
}

template <CollEngine engine, typename Group, typename Local, typename TileData, typename... Args>
constexpr void check()
{
    static_assert(triggered<engine, Args...>(), "CcuTriggerContext comes with the CCU, and only with it");
    using T = typename Local::RawDType;
    static_assert(std::is_same_v<typename Group::value_type::RawDType, T>, "group and tensor have one element type");
    static_assert(std::is_same_v<typename TileData::DType, T>, "staging has the tensors' element type");
}

template <typename Tensor>
auto &element(Tensor &tensor, int64_t a, int64_t b, int64_t c, int64_t row, int64_t col)
{
    return tensor.data()[a * tensor.GetStride(0) + b * tensor.GetStride(1) + c * tensor.GetStride(2) +
                         row * tensor.GetStride(3) + col * tensor.GetStride(4)];
}

// Calls f(rank, element of the rank, element of `local` in the rank's block of rows).
template <typename Group, typename Local, typename F>
void in_blocks(Group &group, Local &local, bool stacked, F f)
{
    for (int rank = 0; rank < group.size; ++rank) {
        auto &member = group.tensors[rank];
        const int64_t first = stacked ? rank * member.GetShape(3) : 0;
        for (int64_t a = 0; a < member.GetShape(0); ++a)
            for (int64_t b = 0; b < member.GetShape(1); ++b)
                for (int64_t c = 0; c < member.GetShape(2); ++c)
                    for (int64_t i = 0; i < member.GetShape(3); ++i)
                        for (int64_t j = 0; j < member.GetShape(4); ++j)
                            f(rank, element(member, a, b, c, i, j), element(local, a, b, c, first + i, j));
    }
}

} // namespace reference

template <CollEngine engine = CollEngine::AIV, typename Group, typename Local, typename TileData, typename... Args>
PTO_INST void TGATHER(Group &group, Local &dst, TileData &, Args &...)
{
    reference::check<engine, Group, Local, TileData, Args...>();
    reference::in_blocks(group, dst, true, [](int, auto &theirs, auto &ours) { ours = theirs; });
}
template <CollEngine engine = CollEngine::AIV, typename Group, typename Local, typename TileData, typename... Args>
PTO_INST void TGATHER(Group &group, Local &dst, TileData &ping, TileData &, Args &...args)
{
    TGATHER<engine>(group, dst, ping, args...);
}

template <CollEngine engine = CollEngine::AIV, typename Group, typename Local, typename TileData, typename... Args>
PTO_INST void TSCATTER(Group &group, Local &src, TileData &, Args &...)
{
    reference::check<engine, Group, Local, TileData, Args...>();
    reference::in_blocks(group, src, true, [](int, auto &theirs, auto &ours) { theirs = ours; });
}
template <CollEngine engine = CollEngine::AIV, typename Group, typename Local, typename TileData, typename... Args>
PTO_INST void TSCATTER(Group &group, Local &src, TileData &ping, TileData &, Args &...args)
{
    TSCATTER<engine>(group, src, ping, args...);
}

template <CollEngine engine = CollEngine::AIV, typename Group, typename Local, typename TileData, typename... Args>
PTO_INST void TBROADCAST(Group &group, Local &src, TileData &, Args &...)
{
    reference::check<engine, Group, Local, TileData, Args...>();
    reference::in_blocks(group, src, false, [](int, auto &theirs, auto &ours) { theirs = ours; });
}
template <CollEngine engine = CollEngine::AIV, typename Group, typename Local, typename TileData, typename... Args>
PTO_INST void TBROADCAST(Group &group, Local &src, TileData &ping, TileData &, Args &...args)
{
    TBROADCAST<engine>(group, src, ping, args...);
}

// The root's own data first, then the other ranks in order.
template <CollEngine engine = CollEngine::AIV, typename Group, typename Local, typename TileData, typename... Args>
PTO_INST void TREDUCE(Group &group, Local &dst, TileData &, TileData &, ReduceOp op, Args &...)
{
    using T = typename Local::RawDType;
    reference::check<engine, Group, Local, TileData, Args...>();
    const auto pass = [&](bool roots) {
        reference::in_blocks(group, dst, false, [&](int rank, auto &theirs, auto &ours) {
            if ((rank == group.root) != roots) {
                return;
            }
            if (roots) {
                ours = theirs;
            } else if (op == ReduceOp::Sum) {
                ours = pto::reference::wrapping([](auto a, auto b) { return a + b; }, T(ours), T(theirs));
            } else if (op == ReduceOp::Max) {
                ours = ours < theirs ? theirs : ours;
            } else {
                ours = theirs < ours ? theirs : ours;
            }
        });
    };
    pass(true);
    pass(false);
}
template <CollEngine engine = CollEngine::AIV, typename Group, typename Local, typename TileData, typename... Args>
PTO_INST void TREDUCE(Group &group, Local &dst, TileData &acc, TileData &ping, TileData &, ReduceOp op,
                      Args &...args)
{
    TREDUCE<engine>(group, dst, acc, ping, op, args...);
}

} // namespace pto::comm

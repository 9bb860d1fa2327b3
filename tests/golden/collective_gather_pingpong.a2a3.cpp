#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/comm/pto_comm_inst.hpp>

using namespace pto;

AICORE void collective_gather_pingpong(__gm__ float *group_addrs[4], __gm__ float *result)
{
    using ResultTensor = GlobalTensor<float, Shape<1, 1, 1, 256, 32>, Stride<8192, 8192, 8192, 32, 1>>;
    using PingTile = Tile<TileType::Vec, float, 64, 32, BLayout::RowMajor, -1, -1>;
    using GroupAddrsTensor = GlobalTensor<float, Shape<1, 1, 1, 64, 32>, Stride<2048, 2048, 2048, 32, 1>>;

    ResultTensor resultGM(result);
    PingTile ping(64, 32);
    TASSIGN<0x0>(ping);
    PingTile pong(64, 32);
    TASSIGN<0x2000>(pong);
    GroupAddrsTensor tensors[4] = {
        GroupAddrsTensor(group_addrs[0]),
        GroupAddrsTensor(group_addrs[1]),
        GroupAddrsTensor(group_addrs[2]),
        GroupAddrsTensor(group_addrs[3]),
    };
    comm::ParallelGroup<GroupAddrsTensor> group(tensors, 4, 0);
    comm::TGATHER(group, resultGM, ping, pong);
}

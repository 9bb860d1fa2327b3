// MGATHER as the earlier, A5-only custom instruction: the index tile's columns choose the mode.
#pragma once

#include "../../../pto-inst.hpp"

namespace pto {

template <GatherOOB Mode = GatherOOB::Undefined, typename TileDst, typename GlobalTable, typename TileIdx>
PTO_INST void MGATHER(TileDst &dst, GlobalTable &table, TileIdx &indices)
{
    constexpr Coalesce mode = TileIdx::Cols == 1 ? Coalesce::Row : Coalesce::Elem;
    reference::check_indexed<mode, TileDst, GlobalTable, TileIdx>();
    reference::gather<mode, Mode>(dst, table, indices);
}

} // namespace pto

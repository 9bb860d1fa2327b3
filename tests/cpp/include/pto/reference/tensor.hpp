// Views of global memory: a pointer, five extents, five strides in elements.
#pragma once

#include "enums.hpp"
#include "target.hpp"

namespace pto {

namespace reference {

template <int64_t... Values>
struct Five {
    static_assert(sizeof...(Values) == 5);
    static constexpr int64_t fixed[5] = {Values...};
    static constexpr int dynamic = ((Values == -1 ? 1 : 0) + ...);
    int64_t value[5] = {Values...};

    Five()
        requires(dynamic == 0)
    = default;
    template <typename... V>
        requires(sizeof...(V) > 0 && (sizeof...(V) == 5 || static_cast<int>(sizeof...(V)) == dynamic))
    Five(V... given)
    {
        const int64_t all[] = {static_cast<int64_t>(given)...};
        int next = 0;
        for (int i = 0; i < 5; ++i) {
            if (sizeof...(V) == 5) {
                value[i] = fixed[i] == -1 ? all[i] : fixed[i];
            } else if (fixed[i] == -1) {
                value[i] = all[next++];
            }
        }
    }
};

} // namespace reference

template <int64_t... D>
struct Shape : reference::Five<D...> {
    using reference::Five<D...>::Five;
};
template <int64_t... S>
struct Stride : reference::Five<S...> {
    using reference::Five<S...>::Five;
};

template <typename Element, typename ShapeT, typename StrideT, Layout Layout_ = Layout::ND>
class GlobalTensor {
public:
    using DType = Element;
    using RawDType = Element;
    static constexpr Layout layout = Layout_;
    static constexpr const int64_t (&staticShape)[5] = ShapeT::fixed;

    GlobalTensor() = default;
    explicit GlobalTensor(Element *data)
        requires(ShapeT::dynamic == 0 && StrideT::dynamic == 0)
        : data_(data)
    {}
    GlobalTensor(Element *data, const ShapeT &shape)
        requires(StrideT::dynamic == 0)
        : data_(data), shape_(shape)
    {}
    GlobalTensor(Element *data, const ShapeT &shape, const StrideT &stride)
        : data_(data), shape_(shape), stride_(stride)
    {}

    Element *data() const { return data_; }
    int64_t GetShape(int dim) const { return shape_.value[dim]; }
    int64_t GetStride(int dim) const { return stride_.value[dim]; }
    int64_t GetShape(GlobalTensorDim dim) const { return GetShape(static_cast<int>(dim)); }
    int64_t GetStride(GlobalTensorDim dim) const { return GetStride(static_cast<int>(dim)); }
    int64_t count() const { return GetShape(0) * GetShape(1) * GetShape(2) * GetShape(3) * GetShape(4); }

private:
    Element *data_ = nullptr;
    ShapeT shape_{};
    StrideT stride_{};
};

} // namespace pto

#include "$include"

#include <cstdio>
#include <cstring>
#include <vector>

namespace ptoas_driver {
// Memory that becomes a pointer to whatever a parameter points to.
struct Memory {
    void *data;
    std::size_t size;
    template <typename T>
    operator T *() const { return static_cast<T *>(data); }
    void put(void *to) const { std::memcpy(to, data, size); }
    void take(const void *from) const { std::memcpy(data, from, size); }
};

// The same for the pointers of all ranks.
struct Pointers {
    void **data;
    template <typename T>
    operator T **() const { return reinterpret_cast<T **>(data); }
};

static std::vector<std::vector<unsigned char>> pieces;

[[maybe_unused]] static Memory memory(std::size_t n) { return {pieces[n].data(), pieces[n].size()}; }

static bool read(const char *path)
{
    const std::vector<std::size_t> sizes = {$sizes};
    std::FILE *file = std::fopen(path, "rb");
    if (file == nullptr) {
        return false;
    }
    bool whole = true;
    for (std::size_t size : sizes) {
        pieces.emplace_back(size);
        whole = whole && std::fread(pieces.back().data(), 1, size, file) == size;
    }
    std::fclose(file);
    return whole;
}

static bool write(const char *path)
{
    std::FILE *file = std::fopen(path, "wb");
    bool whole = file != nullptr;
    for (const auto &each : pieces) {
        whole = whole && std::fwrite(each.data(), 1, each.size(), file) == each.size();
    }
    return whole && std::fclose(file) == 0;
}
}  // namespace ptoas_driver

int main(int, char **argv)
{
    using namespace ptoas_driver;
    if (!ptoas_driver::read(argv[1])) {
        return 3;
    }
$body
    return ptoas_driver::write(argv[2]) ? 0 : 4;
}

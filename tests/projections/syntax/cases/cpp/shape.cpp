#include <string>

namespace geometry {

constexpr double PI = 3.14;

/// A shape.
class Shape {
public:
    Shape(std::string name) : name_(std::move(name)) {}
    virtual ~Shape() = default;

    virtual double area() const = 0;
    bool operator==(const Shape& other) const { return area() == other.area(); }
    explicit operator bool() const { return true; }

    const std::string& name() const { return name_; }

protected:
    std::string name_;
    static int count;
};

template <typename T>
struct Box : public Shape {
    T value;

    template <typename U>
    U as() const {
        return static_cast<U>(value);
    }
};

using Id = unsigned long;

enum class Color : int { Red, Green };

namespace detail::inner {
inline int helper(int x) { return x; }
}  // namespace detail::inner

}  // namespace geometry

int geometry::Shape::count = 0;

double geometry::area(const Shape& shape) {
    auto twice = [&](double x) { return x * 2; };
    return twice(shape.area());
}

geometry::Shape::~Shape() {}

std::ostream& operator<<(std::ostream& out, const geometry::Shape& shape) {
    return out << R"(two  words)";
}

template <>
void swap(Box<int>& a, Box<int>& b) {}

extern "C" {
int c_function(int x) { return x; }
}

concept_t make() { return {}; }

template <typename T>
concept Number = std::is_arithmetic_v<T>;

# What doxygen reads of a header; line numbers stay.
# The comment that it begins with documents the file.
1s,^#pragma once$,/// \\file,
2,/^[^/]/s,^// ,/// ,
# Element-wise operations: the struct's comment says the formula, which value() and the constants that it keeps are again.
/^    template <class T>$/{
N
s,^    template <class T>\n    CK_HOST_DEVICE constexpr T value(,    /** The formula. */&,
}
s,^    \(float\|std::int32_t\|Activation\|BinaryOp[01]*\|UnaryOp[012]*\|Tuple<UnaryOps...>\) [a-zA-Z0-9_]*_;$,&  /**< of the formula */,

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
# Names of data types.
s,^inline constexpr const char\* type_name<.*;$,&  /**< its name */,
# C: comments of ck/conv.h are plain C's.
s,^/\* \(Convolutions for training code\, from C99.*\)$,/** \\file ck/conv.h\n * \1,
s,^/\* \(Batch norm for training code\, from C99.*\)$,/** \\file ck/batch_norm.h\n * \1,
s,^/\* \(Group norm with an activation\, from C99.*\)$,/** \\file ck/group_norm.h\n * \1,
s,^/\* ,/** ,
s,^    /\* ,    /** ,
s,^\(    .*[^ ]\)  */\* \(.*\) \*/$,\1 /**< \2 */,
s,^\(enum ck_conv_.*\|typedef .* ck_\(conv\|conv_causal\|batch_norm\|group_norm\)_plan;\) /\* \(.*\) \*/$,\1 /**< \3 */,

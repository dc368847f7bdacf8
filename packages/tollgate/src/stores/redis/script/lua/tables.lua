-- The makers of kernels by the codes of algorithms, and what is true of verbs by their names.
local makers = MAKERS
local VERBS = VERB_ROWS
local PEEK, EXPLAIN, TAKE = VERBS.peek, VERBS.explain, VERBS.take

/** A client of a language model that observes two budgets, of requests and of tokens, and a model that enforces its own. */
@NullMarked
package dev.weir.samples.llm;

import org.jspecify.annotations.NullMarked;

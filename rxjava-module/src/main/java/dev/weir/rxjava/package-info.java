/** Rate limiting transformers for RxJava 3. */
@NullMarked
package dev.weir.rxjava;

import org.jspecify.annotations.NullMarked;

/** The races of the timer. */
package dev.weir.time;

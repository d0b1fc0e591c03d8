/** The races of the engine, one small class each, with every outcome that is not named forbidden. */
package dev.weir;

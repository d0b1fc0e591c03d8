/** Limits from the properties of a Spring Boot application: what the starters for Boot 3 and Boot 4 have in common. */
@NullMarked
package dev.weir.spring;

import org.jspecify.annotations.NullMarked;

/** The auto-configuration for Spring Boot 4. */
@NullMarked
package dev.weir.spring.boot4;

import org.jspecify.annotations.NullMarked;

/** The auto-configuration for Spring Boot 3. */
@NullMarked
package dev.weir.spring.boot3;

import org.jspecify.annotations.NullMarked;

/** Limits defined by the properties of a Spring Boot application: the common part of the starters for Boot 3 and Boot 4. */
@NullMarked
package dev.weir.spring;

import org.jspecify.annotations.NullMarked;

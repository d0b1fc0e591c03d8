package dev.weir.spring.boot4;

import dev.weir.spring.application.SecurityContract;

class SecurityTest extends SecurityContract {}

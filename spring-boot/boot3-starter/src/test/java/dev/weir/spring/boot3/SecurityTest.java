package dev.weir.spring.boot3;

import dev.weir.spring.application.SecurityContract;

class SecurityTest extends SecurityContract {}

package dev.weir.spring.boot3;

import dev.weir.spring.application.SharedLimitsContract;

class SharedLimitsRealTimeTest extends SharedLimitsContract {}

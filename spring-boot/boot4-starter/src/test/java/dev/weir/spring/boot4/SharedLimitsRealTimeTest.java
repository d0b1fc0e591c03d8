package dev.weir.spring.boot4;

import dev.weir.spring.application.SharedLimitsContract;

class SharedLimitsRealTimeTest extends SharedLimitsContract {}

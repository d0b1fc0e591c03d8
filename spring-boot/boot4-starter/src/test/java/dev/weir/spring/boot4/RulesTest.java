package dev.weir.spring.boot4;

import dev.weir.spring.application.RulesContract;

class RulesTest extends RulesContract {}

package dev.weir.spring.boot3;

import dev.weir.spring.application.RulesContract;

class RulesTest extends RulesContract {}

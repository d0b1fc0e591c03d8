package dev.weir.spring.application;

import dev.weir.webflux.RateLimited;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What the applications serve. */
@RestController
class Endpoints {

    @GetMapping({"/api/a", "/mine", "/other"})
    String any() {
        return "ok";
    }

    @RateLimited("annotated")
    @GetMapping("/annotated")
    String annotated() {
        return "ok";
    }
}

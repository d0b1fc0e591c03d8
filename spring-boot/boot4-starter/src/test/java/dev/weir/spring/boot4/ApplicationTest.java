package dev.weir.spring.boot4;

import dev.weir.spring.application.ApplicationContract;

class ApplicationTest extends ApplicationContract {

    ApplicationTest() {
        super("4.");
    }
}

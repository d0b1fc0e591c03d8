package dev.weir.spring.boot3;

import dev.weir.spring.application.ApplicationContract;

class ApplicationTest extends ApplicationContract {

    ApplicationTest() {
        super("3.");
    }
}

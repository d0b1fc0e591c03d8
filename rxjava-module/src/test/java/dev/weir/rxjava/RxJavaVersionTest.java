package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivex.rxjava3.core.Flowable;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.util.jar.JarFile;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** All tests but the longest run twice, once with the oldest RxJava that is supported. */
class RxJavaVersionTest {

    @Test
    @DisplayName("the RxJava that was meant is the one that is there")
    void version() throws IOException, URISyntaxException {
        URL jar = Flowable.class.getProtectionDomain().getCodeSource().getLocation();
        try (JarFile opened = new JarFile(new File(jar.toURI()))) {
            assertThat(opened.getManifest().getMainAttributes().getValue("Bundle-Version"))
                    .startsWith(System.getProperty("expected.rxjava", "3.1."));
        }
    }
}

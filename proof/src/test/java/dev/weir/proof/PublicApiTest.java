package dev.weir.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The public faces are those written down in {@code docs/api}. With {@code -Dapi.accept=true} they are written down anew, to be
 * looked at and committed with the change that made them differ.
 */
class PublicApiTest {

    private static final Path WRITTEN = Path.of("..", "docs", "api");
    private static final Path BUILT = Path.of("target", "api");

    @ParameterizedTest
    @EnumSource
    @DisplayName("the public face is the one that is written down")
    void faceIsTheOneWrittenDown(PublishedModule module) throws IOException {
        String name = module.artifact() + ".txt";
        Path built = Files.createDirectories(BUILT).resolve(name);
        Path written = WRITTEN.resolve(name);
        Files.write(built, ApiDump.of(module));
        if (Boolean.getBoolean("api.accept")) {
            Files.write(written, ApiDump.of(module));
        }
        assertThat(built)
                .as(
                        "the public face of %s; to accept it: mvn -pl proof -am test -Dtest=PublicApiTest -Dapi.accept=true"
                                + " -Dsurefire.failIfNoSpecifiedTests=false",
                        module)
                .hasSameTextualContentAs(written);
    }
}

package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class ContractsInModulesTest {

    @Test
    @DisplayName("a contract can be extended in a module: JUnit can access what it needs")
    void opened() throws URISyntaxException {
        Path classes = Path.of(RateLimiterContract.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        ModuleDescriptor testkit =
                ModuleFinder.of(classes).find("dev.weir.testkit").orElseThrow().descriptor();
        assertThat(testkit.opens()).singleElement().satisfies(opened -> {
            assertThat(opened.source()).isEqualTo(RateLimiterContract.class.getPackageName());
            assertThat(opened.targets()).isEqualTo(Set.of("org.junit.platform.commons"));
        });
    }
}

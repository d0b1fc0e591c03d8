package dev.weir.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PolicyNameTest {

    @Test
    @DisplayName("names that differ are written differently, also if one reads as another is written")
    void differ() {
        assertThat(PolicyName.of("\u00fc")).isEqualTo("%c3%bc");
        assertThat(PolicyName.of("%c3%bc")).isEqualTo("%25c3%25bc");
        assertThat(PolicyName.of(" az~\u001f\u007f")).isEqualTo(" az~%1f%7f");
    }

    @Test
    @DisplayName("an unpaired surrogate in a name is written in printable ASCII")
    void surrogates() {
        List<String> names =
                List.of("\ud800", "\udc00", "\udfff", "\ud800x", "\ud800\udc00", "\udc00\ud800", "?", "%3f", "%ud800");

        assertThat(names.stream().map(PolicyName::of))
                .doesNotHaveDuplicates()
                .allMatch(written -> written.matches("[ -~]+"))
                .startsWith("%ud800", "%udc00", "%udfff", "%ud800x", "%f0%90%80%80", "%udc00%ud800");
    }
}

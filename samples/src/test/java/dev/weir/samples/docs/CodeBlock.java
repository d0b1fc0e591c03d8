package dev.weir.samples.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A block of Java in a page of the documentation.
 *
 * @param page the file
 * @param line the line of its first line of code, from 1
 * @param code the text
 */
record CodeBlock(Path page, int line, String code) {

    static List<CodeBlock> in(Path page) {
        try {
            return in(page, Files.readAllLines(page));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static List<CodeBlock> in(Path page, List<String> lines) {
        List<CodeBlock> blocks = new ArrayList<>();
        for (int number = 0; number < lines.size(); number++) {
            if (lines.get(number).strip().equals("```java")) {
                List<String> rest = lines.subList(number + 1, lines.size());
                List<String> code = rest.stream()
                        .takeWhile(line -> !line.strip().equals("```"))
                        .toList();
                blocks.add(new CodeBlock(page, number + 2, String.join("\n", code)));
                number += code.size() + 1;
            }
        }
        return blocks;
    }
}

package dev.weir;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;
import static com.tngtech.archunit.lang.conditions.ArchConditions.callMethodWhere;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the house looks like, held against its classes. */
class HouseRulesTest {

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.weir");

    /** Calls that park the thread, or spin through the scheduler; by the class that declares them or a subclass. */
    private static final Map<String, Set<String>> PARKING = Map.of(
            "java.lang.Thread", Set.of("sleep", "join", "yield", "onSpinWait"),
            "java.lang.Object", Set.of("wait"),
            "java.util.concurrent.locks.LockSupport", Set.of("park", "parkNanos", "parkUntil"),
            "java.util.concurrent.locks.Lock", Set.of("lock", "lockInterruptibly", "tryLock"),
            "java.util.concurrent.Future", Set.of("get", "join"),
            "java.util.concurrent.CountDownLatch", Set.of("await"),
            "java.util.concurrent.Semaphore", Set.of("acquire", "acquireUninterruptibly"),
            "java.util.concurrent.BlockingQueue", Set.of("take", "put"),
            "java.util.concurrent.ExecutorService", Set.of("invokeAll", "invokeAny", "awaitTermination"));

    @Test
    @DisplayName("the core needs the JDK alone")
    void coreNeedsTheJdkAlone() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAPackage("java..")
                        .or(resideInAPackage("dev.weir.."))
                        .or(resideInAPackage("org.jspecify..")))
                .check(CORE);
    }

    @Test
    @DisplayName("nothing parks but the blocking front door")
    void nothingParks() {
        noClasses()
                .that(DescribedPredicate.not(simpleName("RateGate")))
                .should(callMethodWhere(DescribedPredicate.describe("parks", HouseRulesTest::parks)))
                .check(CORE);
        methods()
                .should()
                .notHaveModifier(JavaModifier.SYNCHRONIZED)
                .because("a monitor parks, and BlockHound cannot see it")
                .check(CORE);
    }

    private static boolean parks(JavaMethodCall call) {
        return PARKING.entrySet().stream()
                .anyMatch(entry -> entry.getValue().contains(call.getName())
                        && call.getTargetOwner().isAssignableTo(entry.getKey()));
    }

    @Test
    @DisplayName("only the system time source reads the clock, starts threads or owns a timer")
    void onlyTheSystemTimeSourceReadsTheClock() {
        noClasses()
                .that(DescribedPredicate.not(simpleName("SystemTimeSource")))
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .check(CORE);
        noClasses()
                .that(DescribedPredicate.not(resideInAPackage("dev.weir.time")))
                .should()
                .dependOnClassesThat(resideInAPackage("java.util.concurrent")
                        .and(simpleName("ScheduledExecutorService").or(simpleName("ExecutorService"))))
                .orShould()
                .callConstructor(Thread.class, Runnable.class)
                .check(CORE);
    }

    @Test
    @DisplayName("arrows: limit and time know nobody, the engine knows them, streams and gates know the engine")
    void arrowsPointOneWay() {
        noClasses()
                .that(resideInAPackage("dev.weir.limit").or(resideInAPackage("dev.weir.time")))
                .should()
                .dependOnClassesThat(resideInAPackage("dev.weir")
                        .or(resideInAPackage("dev.weir.stream"))
                        .or(resideInAPackage("dev.weir.gate")))
                .check(CORE);
        noClasses()
                .that(resideInAPackage("dev.weir.limit"))
                .should()
                .dependOnClassesThat(resideInAPackage("dev.weir.time"))
                .because("time is an argument of the arithmetic")
                .check(CORE);
        noClasses()
                .that(resideInAPackage("dev.weir"))
                .should()
                .dependOnClassesThat(resideInAPackage("dev.weir.stream").or(resideInAPackage("dev.weir.gate")))
                .check(CORE);
        noClasses()
                .that(resideInAPackage("dev.weir.stream"))
                .should()
                .dependOnClassesThat(resideInAPackage("dev.weir.gate"))
                .check(CORE);
    }

    @Test
    @DisplayName("arithmetic is in integers")
    void arithmeticIsInIntegers() {
        fields().that()
                .areDeclaredInClassesThat(resideInAPackage("dev.weir.limit"))
                .should()
                .notHaveRawType(double.class)
                .andShould()
                .notHaveRawType(float.class)
                .check(CORE);
        methods()
                .that()
                .areDeclaredInClassesThat(resideInAPackage("dev.weir.limit"))
                .should()
                .notHaveRawReturnType(double.class)
                .check(CORE);
        noClasses()
                .that(resideInAPackage("dev.weir.limit"))
                .should()
                .dependOnClassesThat()
                .areAssignableTo(TimeUnit.class)
                .because("TimeUnit truncates")
                .check(CORE);
    }

    @Test
    @DisplayName("classes are final, and named for what they are")
    void classesAreFinalAndNamedForWhatTheyAre() {
        classes()
                .that(DescribedPredicate.not(modifier(JavaModifier.ABSTRACT)))
                .and()
                .areNotEnums()
                .should()
                .haveModifier(JavaModifier.FINAL)
                .check(CORE);
        noClasses()
                .should()
                .haveNameMatching(".*(Impl|Manager|Helper|Util|Utils)(\\$.*)?|.*\\.(Abstract|Default)[A-Z].*")
                .check(CORE);
    }
}

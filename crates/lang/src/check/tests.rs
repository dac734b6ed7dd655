//! Tests and implementations: closed modules with a main machine, expanded over the values of test parameters.

use std::collections::BTreeMap;

use super::Checker;
use super::modules::{Module, Modules};
use crate::ids::{InterfaceId, MachineId};
use crate::ir::{Link, MonitorAttachment, Test, TestKind};
use crate::names::Name;
use crate::source::{Code, Diagnostic, Span, counted};
use crate::syntax::tree::{Declaration, Ident, ImplementationDeclaration, MachineKind, TestDeclaration};
use crate::types::TypeId;

/// What modules create and do not implement, with who creates it: the tests and implementations that are open there.
type Gaps = BTreeMap<(InterfaceId, Name), Vec<Ident>>;

impl Checker<'_> {
    /// Links the tests. After other errors, only what does not follow from them is reported: a name that does not exist
    /// is wrong however the rest is repaired, while what a machine with an error creates is not known. Text that could
    /// not be parsed may have had the name.
    pub(super) fn link_tests_as_far_as_known(&mut self) {
        if !self.diagnostics.has_errors() {
            return self.link_tests();
        }
        if self.diagnostics.iter().any(|diagnostic| diagnostic.code.is_about_text()) {
            return;
        }
        let mark = self.diagnostics.mark();
        self.link_tests();
        let is_independent = |diagnostic: &Diagnostic| {
            matches!(
                diagnostic.code,
                Code::UnknownMachine
                    | Code::UnknownModule
                    | Code::UnknownSpec
                    | Code::UnknownParameter
                    | Code::CircularModule
                    | Code::InvalidMain
                    | Code::InvalidTestParameter
                    | Code::TooManyTests
            )
        };
        self.diagnostics.retain_since(mark, is_independent);
        self.checked.tests.clear();
    }

    fn link_tests(&mut self) {
        let tree = self.tree;
        let modules = self.evaluate_modules();
        let mut has_entry = false;
        let mut gaps = Gaps::new();
        for declaration in &tree.declarations {
            match declaration {
                Declaration::Test(test) if !self.is_included(test.span) => {
                    has_entry |= test.refines.is_none();
                    self.link_test(&modules, test, &mut gaps);
                }
                Declaration::Implementation(implementation) if !self.is_included(implementation.span) => {
                    has_entry = true;
                    self.link_implementation(&modules, implementation, &mut gaps);
                }
                _ => {}
            }
        }
        for ((missing, creator), tests) in &gaps {
            self.report(self.not_closed(*missing, *creator, tests));
        }
        if !has_entry && !self.diagnostics.has_errors() {
            self.link_default();
        }
    }

    pub(super) fn is_included(&self, span: Span) -> bool {
        self.sources.file_of(span).is_some_and(|file| file.included)
    }

    fn link_test(&mut self, modules: &Modules, test: &TestDeclaration, gaps: &mut Gaps) {
        let module = self.module(modules, test.module);
        if let Some(refined) = test.refines {
            let refined = self.module(modules, refined);
            for module in [module, refined].into_iter().flatten() {
                self.check_closed(&module, test.name, gaps);
                self.find_main(&module, test.main, true);
            }
            let message =
                format!("`{}` is a refinement test, which is checked but not run", self.text(test.name.name));
            return self.report(Diagnostic::new(Code::RefinementNotRun, test.name.span, message));
        }
        let instances = self.expand_parameters(test);
        let Some(module) = module else { return };
        let is_closed = self.check_closed(&module, test.name, gaps);
        let Some(main) = self.find_main(&module, test.main, true).filter(|_| is_closed) else { return };
        let name = self.text(test.name.name).to_owned();
        for (suffix, parameters) in instances {
            let name = format!("{name}{suffix}");
            let linked = self.linked(&module, name, TestKind::Test, main, test.name.span);
            self.checked.tests.push(Test { parameters, ..linked });
        }
    }

    fn link_implementation(
        &mut self,
        modules: &Modules,
        implementation: &ImplementationDeclaration,
        gaps: &mut Gaps,
    ) {
        let Some(module) = self.module(modules, implementation.module) else { return };
        if !self.check_closed(&module, implementation.name, gaps) {
            return;
        }
        let Some(named) = implementation.main.or(module.main).or_else(|| self.conventional_main(&module))
        else {
            return self.no_main(implementation.name);
        };
        let Some(main) = self.find_main(&module, named, false) else { return };
        let name = self.text(implementation.name.name).to_owned();
        let test = self.linked(&module, name, TestKind::Implementation, main, implementation.name.span);
        self.checked.tests.push(test);
    }

    /// The machine `Main` of a module.
    fn conventional_main(&self, module: &Module) -> Option<Ident> {
        let name = self.tree.names.get("Main")?;
        let mut bound = module.bindings.values().map(|id| self.checked.machines[id.index()].name);
        bound.find(|bound| bound.name == name)
    }

    fn no_main(&mut self, implementation: Ident) {
        let name = self.text(implementation.name);
        let message = format!("`{name}` names no main machine, and its module has no machine `Main`");
        let diagnostic = Diagnostic::new(Code::InvalidMain, implementation.span, message);
        let diagnostic = diagnostic.hint(format!("write `implementation {name} [main=..]: ..;`"));
        self.report(diagnostic);
    }

    /// P runs a program that has a machine `Main` and no test, without its specs.
    fn link_default(&mut self) {
        let main = self.tree.names.get("Main").and_then(|name| self.globals.interfaces.get(&name)).copied();
        let Some(main) = main.filter(|id| self.checked.interfaces[id.index()].machine.is_some()) else {
            let message = "there is nothing to run: no test, no implementation and no machine `Main`";
            let hint = "write `test tcName [main=TheMainMachine]: { TheMainMachine, .. };`";
            return self.report(Diagnostic::new(Code::NothingToRun, Span::default(), message).hint(hint));
        };
        let module = self.default_module();
        let name = self.checked.interfaces[main.index()].name;
        let mut gaps = Gaps::new();
        if !self.check_closed(&module, name, &mut gaps) {
            for (missing, creator) in gaps.keys() {
                self.report(self.default_not_closed(*missing, *creator));
            }
        } else {
            let test = self.linked(&module, "DefaultImpl".into(), TestKind::Default, main, name.span);
            self.checked.tests.push(test);
        }
    }

    /// Every interface that is created must be implemented. Tests often share a module, so its gaps are told together.
    fn check_closed(&self, module: &Module, name: Ident, gaps: &mut Gaps) -> bool {
        let mut is_closed = true;
        for missing in module.creates.iter().filter(|id| !module.bindings.contains_key(id)) {
            let link = module.links.iter().find(|(_, created)| **created == *missing);
            let creator = link.and_then(|((creator, _), _)| module.bindings.get(creator));
            let creator = creator.map_or(name, |id| self.checked.machines[id.index()].name);
            let open = gaps.entry((*missing, creator.name)).or_default();
            if open.last() != Some(&name) {
                open.push(name);
            }
            is_closed = false;
        }
        is_closed
    }

    fn not_closed(&self, missing: InterfaceId, creator: Name, tests: &[Ident]) -> Diagnostic {
        let missing = &self.checked.interfaces[missing.index()];
        let (creator, missing_name) = (self.text(creator), self.text(missing.name.name));
        let names: Vec<String> = tests.iter().map(|test| format!("`{}`", self.text(test.name))).collect();
        let lacking = match names.as_slice() {
            [one] => format!("which the module of {one} does not implement"),
            [one, other] => format!("which the modules of {one} and {other} do not implement"),
            [one, ..] => format!(
                "which the modules of {one} and {} do not implement",
                counted(names.len() as u64 - 1, "other test")
            ),
            [] => String::new(),
        };
        let message = format!("`{creator}` creates `{missing_name}`, {lacking}");
        let hint = match missing.machine {
            Some(_) => format!("add `{missing_name}` to the braces of the module"),
            None => format!("add a machine that implements it to the module: `M -> {missing_name}`"),
        };
        let span = tests.first().map_or(missing.name.span, |test| test.span);
        Diagnostic::new(Code::NotClosed, span, message).label(missing.name.span, "declared here").hint(hint)
    }

    fn default_not_closed(&self, missing: InterfaceId, creator: Name) -> Diagnostic {
        let missing = self.checked.interfaces[missing.index()].name;
        let (creator, missing_name) = (self.text(creator), self.text(missing.name));
        let message = format!("`{creator}` creates `{missing_name}`, which no machine implements");
        Diagnostic::new(Code::NotClosed, missing.span, message)
            .hint("write a test with a module that binds a machine to it: `{ .., M -> I }`")
    }

    /// The interface through which the main machine is created.
    fn find_main(&mut self, module: &Module, name: Ident, is_test: bool) -> Option<InterfaceId> {
        if Self::is_missing(name) {
            return None;
        }
        let own =
            self.globals.interfaces.get(&name.name).filter(|id| module.bindings.contains_key(id)).copied();
        let is_main = |machine: &MachineId| self.checked.machines[machine.index()].name.name == name.name;
        let found = own.filter(|id| is_main(&module.bindings[id])).or_else(|| {
            module.bindings.iter().find(|(_, machine)| is_main(machine)).map(|(interface, _)| *interface)
        });
        let text = self.text(name.name);
        let Some(found) = found else {
            let spec = self.globals.machines.get(&name.name).map(|id| &self.checked.machines[id.index()]);
            let message = match spec.filter(|machine| machine.is_monitor()) {
                Some(_) => format!("`{text}` is a spec, and cannot be the main machine"),
                None => format!("the main machine `{text}` is not in the module"),
            };
            let diagnostic = Diagnostic::new(Code::InvalidMain, name.span, message);
            let bound = module.bindings.values().map(|id| self.checked.machines[id.index()].name.name);
            let diagnostic = self.suggest(diagnostic, name.name, bound);
            self.report(diagnostic);
            return None;
        };
        let machine = &self.checked.machines[module.bindings[&found].index()];
        if is_test && machine.payload != TypeId::NULL {
            let message = format!("the main machine `{text}` cannot have a parameter: nobody creates it");
            let diagnostic = Diagnostic::new(Code::InvalidMain, name.span, message);
            let diagnostic = diagnostic.label(machine.name.span, "its start state's entry takes one");
            self.report(diagnostic);
            return None;
        }
        Some(found)
    }

    fn linked(&self, module: &Module, name: String, kind: TestKind, main: InterfaceId, span: Span) -> Test {
        let interfaces = (0..self.checked.interfaces.len()).map(|id| InterfaceId(id as u32));
        let links = module.links.iter().filter(|((_, requested), created)| requested != *created);
        let mut monitors: Vec<MonitorAttachment> = (module.monitors.iter())
            .map(|(monitor, observed)| MonitorAttachment { monitor: *monitor, observed: observed.clone() })
            .collect();
        self.attach_scenarios(&mut monitors, module);
        Test {
            name,
            kind,
            main,
            parameters: Vec::new(),
            bindings: interfaces.map(|id| module.bindings.get(&id).copied()).collect(),
            links: links
                .map(|((creator, requested), created)| Link {
                    creator: *creator,
                    requested: *requested,
                    created: *created,
                })
                .collect(),
            monitors,
            span,
        }
    }

    /// Scenarios watch every test.
    fn attach_scenarios(&self, monitors: &mut Vec<MonitorAttachment>, module: &Module) {
        for (at, machine) in self.checked.machines.iter().enumerate() {
            let id = MachineId(at as u32);
            let is_attached = monitors.iter().any(|attached| attached.monitor == id);
            if machine.kind == MachineKind::Scenario && !is_attached {
                monitors.push(MonitorAttachment {
                    monitor: id,
                    observed: module.bindings.keys().copied().collect(),
                });
            }
        }
    }
}

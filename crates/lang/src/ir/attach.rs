//! Specs that no test asserts, and how to let them watch every test.

use super::{MonitorAttachment, Program};
use crate::ids::{InterfaceId, MachineId};
use crate::syntax::tree::MachineKind;

impl Program {
    /// Specs that watch no test.
    pub fn unattached_specs(&self) -> Vec<MachineId> {
        let attached = |id: MachineId| {
            self.tests.iter().any(|test| test.monitors.iter().any(|attachment| attachment.monitor == id))
        };
        let machines = self.machines.iter().enumerate();
        let specs = machines.filter(|(_, machine)| machine.kind == MachineKind::Spec);
        specs.map(|(id, _)| MachineId(id as u32)).filter(|id| !attached(*id)).collect()
    }

    /// Lets specs that watch no test watch every test, with all its machines.
    pub fn attach_specs(&mut self) {
        for spec in self.unattached_specs() {
            for test in &mut self.tests {
                let bound = test.bindings.iter().enumerate().filter(|(_, machine)| machine.is_some());
                let observed = bound.map(|(interface, _)| InterfaceId(interface as u32)).collect();
                test.monitors.push(MonitorAttachment { monitor: spec, observed });
            }
        }
    }
}

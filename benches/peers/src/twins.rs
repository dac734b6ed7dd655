//! Programs that exist in P and in Promela, with the same graph of states.

/// A program in both languages, at one size.
#[derive(Clone, Debug)]
pub(crate) struct Twin {
    pub(crate) title: String,
    /// The file in `p/`, and the test in it.
    pub(crate) p: &'static str,
    pub(crate) test: String,
    /// The file in `promela/`, and what sets its size.
    pub(crate) promela: &'static str,
    pub(crate) defines: Vec<String>,
}

/// What is compared: in a minute, or at full size.
pub(crate) fn twins(quick: bool, large: bool) -> Vec<Twin> {
    if quick {
        return vec![lcr(8), dkr(8), client_server(4, 2), client_server(5, 1), ledger(14, 1), ledger(4, 2)];
    }
    let mut twins = vec![lcr(10), dkr(10), client_server(5, 2), client_server(6, 1), ledger(18, 1), ledger(5, 2)];
    if large {
        twins.extend([lcr(11), dkr(11)]);
    }
    twins
}

/// Two sizes of each ring: what instructions are counted on.
pub(crate) fn pairs_for_counting(quick: bool) -> [[Twin; 2]; 2] {
    let [small, large] = if quick { [5, 6] } else { [6, 8] };
    [[lcr(small), lcr(large)], [dkr(small), dkr(large)]]
}

fn lcr(nodes: u32) -> Twin {
    Twin {
        title: format!("LCR ring of {nodes}"),
        p: "Lcr.p",
        test: format!("tcLcr___nodes_{nodes}"),
        promela: "lcr.pml",
        defines: vec![format!("-DN={nodes}")],
    }
}

fn dkr(nodes: u32) -> Twin {
    Twin {
        title: format!("DKR ring of {nodes}"),
        p: "Dkr.p",
        test: format!("tcDkr___nodes_{nodes}"),
        promela: "dkr.pml",
        defines: vec![format!("-DN={nodes}")],
    }
}

fn client_server(clients: u32, waiting: u32) -> Twin {
    Twin {
        title: format!("a server and {clients} {}clients", if waiting == 1 { "patient " } else { "" }),
        p: "ClientServer.p",
        test: format!("tcClientServer___clients_{clients}__waiting_{waiting}"),
        promela: "clientserver.pml",
        defines: vec![format!("-DN={clients}"), format!("-DWAITING={waiting}")],
    }
}

fn ledger(hops: u32, tokens: u32) -> Twin {
    Twin {
        title: format!("ledgers, {tokens} token{} of {hops} hops", if tokens == 1 { "" } else { "s" }),
        p: "Ledger.p",
        test: format!("tcLedger___hops_{hops}__tokens_{tokens}"),
        promela: "ledger.pml",
        defines: vec![format!("-DN={hops}"), format!("-DTOKENS={tokens}")],
    }
}

//! What holds for the tree and the diagnostics of any text.

use std::collections::HashSet;

use super::super::tree::{
    ExprId, ExprKind, MAX_NESTING, ModuleExprKind, StmtId, StmtKind, Tree, TypeExprKind,
};
use crate::source::{Diagnostics, SourceMap, Span};

/// Checks that spans lie on characters of one file, that no two reports begin at one place, that children come before
/// their parents in the arenas, and that nothing is higher than the limit.
pub(super) fn check(sources: &SourceMap, tree: &Tree, diagnostics: &Diagnostics) {
    let mut starts = HashSet::new();
    for diagnostic in diagnostics.iter() {
        check_span(sources, diagnostic.span);
        diagnostic.labels.iter().for_each(|label| check_span(sources, label.span));
        assert!(starts.insert(diagnostic.span.start), "two reports at one place: {}", diagnostic.message);
    }
    let spans = tree.exprs.iter().map(|node| node.span);
    let spans = spans.chain(tree.stmts.iter().map(|node| node.span));
    let spans = spans.chain(tree.type_exprs.iter().map(|node| node.span));
    let spans = spans.chain(tree.module_exprs.iter().map(|node| node.span));
    let spans = spans.chain(tree.functions.iter().map(|function| function.span));
    spans.for_each(|span| check_span(sources, span));
    let heights = [expr_heights(tree), stmt_heights(tree), type_heights(tree), module_heights(tree)];
    let highest = heights.into_iter().flatten().max().unwrap_or(0);
    assert!(highest <= MAX_NESTING, "a node is {highest} levels high");
}

fn check_span(sources: &SourceMap, span: Span) {
    let (file, range) = sources.range(span).expect("a span lies in a file");
    assert!(span.start <= span.end && span.end <= file.span().end, "{span:?} outside {:?}", file.span());
    assert!(file.text.is_char_boundary(range.start) && file.text.is_char_boundary(range.end), "{span:?}");
}

/// The height of every expression; a left spine of binary operators counts once.
fn expr_heights(tree: &Tree) -> Vec<u32> {
    let mut heights: Vec<u32> = Vec::with_capacity(tree.exprs.len());
    for (index, node) in tree.exprs.iter().enumerate() {
        let below = |child: ExprId| {
            assert!((child.0 as usize) < index, "a child comes after its parent");
            heights[child.0 as usize] + 1
        };
        let many = |children: &[ExprId]| children.iter().map(|child| below(*child)).max().unwrap_or(1);
        let height = match &node.kind {
            ExprKind::Format { arguments, .. } | ExprKind::Tuple(arguments) => many(arguments),
            ExprKind::New { arguments, .. } | ExprKind::Call { arguments, .. } => many(arguments),
            ExprKind::NamedTuple(fields) => fields.iter().map(|field| below(field.1)).max().unwrap_or(1),
            ExprKind::Field { base, .. } | ExprKind::Item { base, .. } => below(*base),
            ExprKind::Index { base, index } => below(*base).max(below(*index)),
            ExprKind::Keys(operand) | ExprKind::Values(operand) | ExprKind::Sizeof(operand) => {
                below(*operand)
            }
            ExprKind::Unary { operand, .. } | ExprKind::Is { operand, .. } => below(*operand),
            ExprKind::Cast { operand, .. } | ExprKind::Convert { operand, .. } => below(*operand),
            ExprKind::InFlight(operand) | ExprKind::Sent(operand) => below(*operand),
            ExprKind::Choose(from) => from.map_or(1, below),
            ExprKind::Targets { operand, target } => below(*operand).max(below(*target)),
            ExprKind::Quantifier(quantifier) => below(quantifier.body),
            ExprKind::Binary { lhs, rhs, .. } => {
                let on_spine = matches!(tree[*lhs].kind, ExprKind::Binary { .. });
                (below(*lhs) - u32::from(on_spine)).max(below(*rhs))
            }
            _ => 1,
        };
        heights.push(height);
    }
    heights
}

fn stmt_heights(tree: &Tree) -> Vec<u32> {
    let mut heights: Vec<u32> = Vec::with_capacity(tree.stmts.len());
    for node in &tree.stmts {
        let highest = |children: &mut dyn Iterator<Item = u32>| {
            children.map(|child| heights[child as usize]).max().unwrap_or(0) + 1
        };
        let height = match &node.kind {
            StmtKind::Block(statements) => highest(&mut statements.iter().map(|child| child.0)),
            StmtKind::While { body, .. } | StmtKind::Foreach { body, .. } => {
                highest(&mut [body.0].into_iter())
            }
            StmtKind::If { then, otherwise, .. } => {
                let is_chained = |child: &StmtId| matches!(tree[*child].kind, StmtKind::If { .. });
                let chained = otherwise.filter(is_chained).map_or(0, |child| heights[child.0 as usize]);
                let last = otherwise.filter(|child| !is_chained(child)).map(|child| child.0);
                highest(&mut [then.0].into_iter().chain(last)).max(chained)
            }
            StmtKind::Receive(cases) => {
                highest(&mut cases.iter().flat_map(|case| &case.body.statements).map(|child| child.0))
            }
            _ => 1,
        };
        heights.push(height);
    }
    heights
}

fn type_heights(tree: &Tree) -> Vec<u32> {
    let mut heights: Vec<u32> = Vec::with_capacity(tree.type_exprs.len());
    for node in &tree.type_exprs {
        let height = |child: u32| heights[child as usize] + 1;
        let height = match &node.kind {
            TypeExprKind::Seq(element) | TypeExprKind::Set(element) => height(element.0),
            TypeExprKind::Map(key, value) => height(key.0).max(height(value.0)),
            TypeExprKind::Tuple(types) => types.iter().map(|ty| height(ty.0)).max().unwrap_or(1),
            TypeExprKind::NamedTuple(fields) => {
                fields.iter().map(|field| height(field.ty.0)).max().unwrap_or(1)
            }
            _ => 1,
        };
        heights.push(height);
    }
    heights
}

fn module_heights(tree: &Tree) -> Vec<u32> {
    let mut heights: Vec<u32> = Vec::with_capacity(tree.module_exprs.len());
    for node in &tree.module_exprs {
        let height = |child: u32| heights[child as usize] + 1;
        let height = match &node.kind {
            ModuleExprKind::Union(modules) | ModuleExprKind::Compose(modules) => {
                modules.iter().map(|module| height(module.0)).max().unwrap_or(1)
            }
            ModuleExprKind::HideEvents { module, .. } | ModuleExprKind::HideInterfaces { module, .. } => {
                height(module.0)
            }
            ModuleExprKind::Assert { module, .. } | ModuleExprKind::Rename { module, .. } => height(module.0),
            ModuleExprKind::Main { module, .. } => height(module.0),
            _ => 1,
        };
        heights.push(height);
    }
    heights
}

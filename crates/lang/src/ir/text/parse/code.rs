//! The parser of functions and instructions.

use super::Parser;
use super::lexer::Token;
use crate::ids::{FieldId, MachineId};
use crate::ir::text::TextError;
use crate::ir::text::words::{binary_op, unary_op};
use crate::ir::{
    ChooseFrom, Constant, Function, Instruction, Label, Operand, Place, Projection, ReceiveCase, Register,
    RegisterInfo, Root,
};
use crate::source::Span;
use crate::types::TypeId;
use rapidhash::RapidHashMap;

/// The labels of one function.
#[derive(Debug, Default)]
struct Labels {
    positions: RapidHashMap<u32, u32>,
    /// The uses in the order of the text. Until the end of the function, a label in the code is an index of this.
    uses: Vec<LabelUse>,
}

#[derive(Debug)]
enum LabelUse {
    Named { label: u32, token: usize },
    Position(u32),
}

/// A function while its lines are read.
struct Body {
    owner: Option<MachineId>,
    registers: Vec<RegisterInfo>,
    code: Vec<Instruction>,
    labels: Labels,
}

impl Parser<'_> {
    pub(super) fn function(&mut self, is_foreign: bool) -> Result<(), TextError> {
        let name = self.name()?;
        let mut body =
            Body { owner: None, registers: Vec::new(), code: Vec::new(), labels: Labels::default() };
        self.sign("(")?;
        self.list(")", |parser| parser.register_declaration(&mut body.registers))?;
        let parameters = body.registers.len() as u32;
        let result = if self.take_sign("->") { self.ty()? } else { TypeId::NULL };
        body.owner = if self.take_word("of") { Some(self.machine_reference()?) } else { None };
        if !is_foreign || matches!(self.peek(), Token::Sign("{")) {
            self.open_block()?;
            while !self.take_sign("}") {
                self.line(&mut body)?;
                self.line_end()?;
            }
        }
        let Body { owner, registers, mut code, labels } = body;
        self.place_labels(&mut code, &labels)?;
        let spans = vec![Span::default(); code.len()];
        let span = Span::default();
        self.program.functions.push(Function {
            name,
            owner,
            parameters,
            registers,
            result,
            code,
            spans,
            is_foreign,
            span,
        });
        Ok(())
    }

    fn register_declaration(&mut self, registers: &mut Vec<RegisterInfo>) -> Result<(), TextError> {
        if self.peek() != Token::Register(registers.len() as u32) {
            return Err(self.expected(&format!("`r{}`", registers.len())));
        }
        self.next();
        let name = if let Token::Name(_) = self.peek() { Some(self.name()?) } else { None };
        self.sign(":")?;
        registers.push(RegisterInfo { ty: self.ty()?, name });
        Ok(())
    }

    /// A register, a label or an instruction.
    fn line(&mut self, body: &mut Body) -> Result<(), TextError> {
        match (self.peek(), self.peek_second()) {
            (Token::Register(_), Token::Name(_) | Token::Sign(":")) => {
                self.register_declaration(&mut body.registers)
            }
            (Token::Label(label), _) => {
                if body.labels.positions.insert(label, body.code.len() as u32).is_some() {
                    return Err(self.error(format!("label `L{label}` is in two places")));
                }
                self.next();
                self.sign(":")
            }
            _ => {
                let instruction = self.instruction(body)?;
                body.code.push(instruction);
                Ok(())
            }
        }
    }

    fn instruction(&mut self, body: &mut Body) -> Result<Instruction, TextError> {
        match self.peek() {
            Token::Register(to) if self.peek_second() == Token::Sign("=") => {
                self.next();
                self.next();
                self.value(body.owner, Register(to))
            }
            Token::Register(_) | Token::Word("this") => {
                let place = self.place(body.owner)?;
                self.change(place)
            }
            Token::Word(word) => {
                self.next();
                self.statement(body, word)
            }
            _ => Err(self.expected("an instruction")),
        }
    }

    /// An instruction that begins with a word.
    fn statement(&mut self, body: &mut Body, word: &str) -> Result<Instruction, TextError> {
        match word {
            "assign" => {
                let place = self.place(body.owner)?;
                self.sign("=")?;
                Ok(Instruction::Assign { place, value: self.operand()? })
            }
            "jump" => Ok(Instruction::Jump(self.label(&mut body.labels)?)),
            "branch" => {
                let condition = self.operand_and_comma()?;
                let then = self.label(&mut body.labels)?;
                self.sign(",")?;
                Ok(Instruction::Branch { condition, then, otherwise: self.label(&mut body.labels)? })
            }
            "return" if self.peek() == Token::LineEnd => Ok(Instruction::Return(None)),
            "return" => Ok(Instruction::Return(Some(self.operand()?))),
            "assert" => Ok(Instruction::Assert { condition: self.operand()?, message: self.opt_payload()? }),
            "print" => Ok(Instruction::Print { message: self.operand()? }),
            "send" => {
                let target = self.operand_and_comma()?;
                Ok(Instruction::Send { target, event: self.operand()?, payload: self.opt_payload()? })
            }
            "announce" => Ok(Instruction::Announce { event: self.operand()?, payload: self.opt_payload()? }),
            "raise" => Ok(Instruction::Raise { event: self.operand()?, payload: self.opt_payload()? }),
            "goto" => {
                let state = self.state_reference(body.owner)?;
                Ok(Instruction::Goto { state, payload: self.opt_payload()? })
            }
            "halt" => Ok(Instruction::Halt),
            "receive" => self.receive(&mut body.labels),
            "call" => self.call(None),
            "new" => self.new_machine(None),
            _ => Err(self.expected_before("an instruction")),
        }
    }

    fn receive(&mut self, labels: &mut Labels) -> Result<Instruction, TextError> {
        self.sign("{")?;
        let mut cases = Vec::new();
        if self.take_sign("}") {
            return Ok(Instruction::Receive { cases: cases.into() });
        }
        loop {
            cases.push(self.receive_case(labels)?);
            if !self.take_sign(";") {
                self.sign("}")?;
                return Ok(Instruction::Receive { cases: cases.into() });
            }
        }
    }

    fn receive_case(&mut self, labels: &mut Labels) -> Result<ReceiveCase, TextError> {
        let mut events = Vec::new();
        if !matches!(self.peek(), Token::Sign("(" | "->")) {
            events.push(self.event()?);
        }
        while self.take_sign(",") {
            events.push(self.event()?);
        }
        let payload = match self.take_sign("(") {
            true => {
                let register = self.register()?;
                self.sign(")")?;
                Some(register)
            }
            false => None,
        };
        self.sign("->")?;
        Ok(ReceiveCase { events: events.into(), payload, target: self.label(labels)? })
    }

    /// What comes after `r1 =`.
    fn value(&mut self, owner: Option<MachineId>, to: Register) -> Result<Instruction, TextError> {
        let Token::Word(word) = self.peek() else {
            return match self.peek() {
                Token::Register(_) => self.value_of_operand(to),
                _ => Ok(Instruction::Const { to, value: self.constant()? }),
            };
        };
        if let Some(op) = unary_op(word) {
            self.next();
            return Ok(Instruction::Unary { op, to, operand: self.operand()? });
        }
        if let Some(op) = binary_op(word) {
            self.next();
            return Ok(Instruction::Binary { op, to, lhs: self.operand_and_comma()?, rhs: self.operand()? });
        }
        if word == "move" {
            return self.value_of_operand(to);
        }
        if matches!(word, "null" | "true" | "false" | "nan" | "event" | "enum" | "default") {
            return Ok(Instruction::Const { to, value: self.constant()? });
        }
        self.next();
        self.value_of_word(owner, to, word)
    }

    fn value_of_word(
        &mut self,
        owner: Option<MachineId>,
        to: Register,
        word: &str,
    ) -> Result<Instruction, TextError> {
        match word {
            "this" if self.take_sign(".") => Ok(Instruction::LoadField { to, field: self.field(owner)? }),
            "this" => Ok(Instruction::This { to }),
            "param" => Ok(Instruction::LoadParameter { to, parameter: self.parameter()? }),
            "tuple" => Ok(Instruction::Tuple { to, items: self.operands_to_line_end()? }),
            "element" => {
                Ok(Instruction::Element { to, base: self.operand_and_comma()?, index: self.operand()? })
            }
            "lookup" => Ok(Instruction::Lookup { to, base: self.operand_and_comma()?, key: self.operand()? }),
            "format" => {
                let Token::Text(text) = self.peek() else { return Err(self.expected("a string")) };
                self.next();
                Ok(Instruction::Format { to, text, arguments: self.operands_to_line_end()? })
            }
            "call" => self.call(Some(to)),
            "new" => self.new_machine(Some(to)),
            "choose" => Ok(Instruction::Choose { to, from: self.choose()? }),
            _ => Err(self.expected_before("a value")),
        }
    }

    fn value_of_operand(&mut self, to: Register) -> Result<Instruction, TextError> {
        let operand = self.operand()?;
        if let Token::Item(index) = self.peek() {
            self.next();
            return Ok(Instruction::Item { to, base: operand, index });
        }
        if self.take_word("in") {
            return Ok(Instruction::Contains { to, item: operand, collection: self.operand()? });
        }
        if self.take_word("as") {
            return Ok(Instruction::Cast { to, operand, ty: self.ty()? });
        }
        if self.take_word("to") {
            return Ok(Instruction::Permit { to, operand, interface: self.interface()? });
        }
        Ok(Instruction::Copy { to, from: operand })
    }

    fn choose(&mut self) -> Result<ChooseFrom, TextError> {
        if self.take_word("below") {
            return Ok(ChooseFrom::Below(self.operand()?));
        }
        if self.take_word("from") {
            return Ok(ChooseFrom::Elements(self.operand()?));
        }
        Ok(ChooseFrom::Bool { fair: self.take_word("fair") })
    }

    fn call(&mut self, to: Option<Register>) -> Result<Instruction, TextError> {
        let function = self.function_reference()?;
        self.sign("(")?;
        let arguments = self.list(")", Self::operand)?.into();
        Ok(Instruction::Call { to, function, arguments })
    }

    fn new_machine(&mut self, to: Option<Register>) -> Result<Instruction, TextError> {
        let interface = self.interface()?;
        self.sign("(")?;
        let payload = if self.take_sign(")") { None } else { Some(self.operand()?) };
        if payload.is_some() {
            self.sign(")")?;
        }
        Ok(Instruction::New { to, interface, payload })
    }

    fn change(&mut self, place: Place) -> Result<Instruction, TextError> {
        if self.take_sign("=") {
            return Ok(Instruction::Assign { place, value: self.operand()? });
        }
        if self.take_sign("-=") {
            return Ok(Instruction::Remove { place, key: self.operand()? });
        }
        self.sign("+=")?;
        let first = self.operand()?;
        if self.take_sign(",") {
            return Ok(Instruction::Insert { place, key: first, value: self.operand()? });
        }
        Ok(Instruction::Add { place, value: first })
    }

    fn place(&mut self, owner: Option<MachineId>) -> Result<Place, TextError> {
        let root = match self.take_word("this") {
            true => {
                self.sign(".")?;
                Root::Field(self.field(owner)?)
            }
            false => Root::Register(self.register()?),
        };
        let mut path = Vec::new();
        loop {
            match self.peek() {
                Token::Item(item) => {
                    self.next();
                    path.push(Projection::Item(item));
                }
                Token::Sign("[") => {
                    self.next();
                    path.push(Projection::Index(self.operand()?));
                    self.sign("]")?;
                }
                _ => return Ok(Place { root, path: path.into() }),
            }
        }
    }

    fn field(&mut self, owner: Option<MachineId>) -> Result<FieldId, TextError> {
        self.reference_in_machine("field", owner, |scope| &scope.fields).map(FieldId)
    }

    fn register(&mut self) -> Result<Register, TextError> {
        match self.peek() {
            Token::Register(register) => {
                self.next();
                Ok(Register(register))
            }
            _ => Err(self.expected("a register")),
        }
    }

    fn operand(&mut self) -> Result<Operand, TextError> {
        let is_move = self.take_word("move");
        Ok(Operand { register: self.register()?, is_move })
    }

    fn operand_and_comma(&mut self) -> Result<Operand, TextError> {
        let operand = self.operand()?;
        self.sign(",")?;
        Ok(operand)
    }

    /// A last operand behind a comma.
    fn opt_payload(&mut self) -> Result<Option<Operand>, TextError> {
        if self.take_sign(",") { self.operand().map(Some) } else { Ok(None) }
    }

    fn operands_to_line_end(&mut self) -> Result<Box<[Operand]>, TextError> {
        let mut operands = Vec::new();
        if self.peek() != Token::LineEnd {
            operands.push(self.operand()?);
        }
        while self.take_sign(",") {
            operands.push(self.operand()?);
        }
        Ok(operands.into())
    }

    fn label(&mut self, labels: &mut Labels) -> Result<Label, TextError> {
        let used = match self.peek() {
            Token::Label(label) => LabelUse::Named { label, token: self.at },
            Token::Index(position) => LabelUse::Position(position),
            _ => return Err(self.expected("a label")),
        };
        self.next();
        labels.uses.push(used);
        Ok(Label(labels.uses.len() as u32 - 1))
    }

    pub(super) fn constant(&mut self) -> Result<Constant, TextError> {
        let constant = match self.next() {
            Token::Word("null") => Constant::Null,
            Token::Word("true") => Constant::Bool(true),
            Token::Word("false") => Constant::Bool(false),
            Token::Int(value) => Constant::Int(value),
            Token::Float(value) => Constant::Float(value),
            Token::Word("nan") if self.take_sign("(") => {
                let bits = self.int()?;
                self.sign(")")?;
                Constant::Float(f64::from_bits(bits as u64))
            }
            Token::Word("nan") => Constant::Float(f64::NAN),
            Token::Text(text) => Constant::String(text),
            Token::Word("event") => Constant::Event(self.event()?),
            Token::Word("enum") => Constant::Enum(self.int()?),
            Token::Word("default") => Constant::Default(self.ty()?),
            _ => return Err(self.expected_before("a value")),
        };
        Ok(constant)
    }

    /// Replaces the labels of the code, which are indices of `labels.uses`, by positions.
    fn place_labels(&self, code: &mut [Instruction], labels: &Labels) -> Result<(), TextError> {
        let mut targets = Vec::with_capacity(labels.uses.len());
        for used in &labels.uses {
            targets.push(match used {
                LabelUse::Position(position) => *position,
                LabelUse::Named { label, token } => {
                    let undefined = || self.error_at(*token, format!("no line has the label `L{label}`"));
                    *labels.positions.get(label).ok_or_else(undefined)?
                }
            });
        }
        for label in code.iter_mut().flat_map(Instruction::labels_mut) {
            label.0 = targets[label.index()];
        }
        Ok(())
    }
}

use std::collections::VecDeque;

pub const LIMIT: usize = 10;

pub struct Ledger {
    pub owner: String,
    history: VecDeque<i64>,
}

impl Ledger {
    pub fn balance(&self) -> i64 {
        let mut total = 0;
        for step in &self.history {
            total += step;
        }
        total
    }

    pub fn shift(&mut self, amount: i64, force: bool) -> Result<i64, String> {
        let after = self.balance() + amount;
        if after < 0 && !force {
            return Err(format!("{} has {}", self.owner, self.balance()));
        }
        self.history.push_back(amount);
        while self.history.len() > LIMIT {
            let first = self.history.pop_front().unwrap_or(0);
            match self.history.front_mut() {
                Some(next) => *next -= first,
                None => break,
            }
        }
        Ok(after * 2)
    }
}

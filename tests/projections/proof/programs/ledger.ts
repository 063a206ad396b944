import { sum } from "./sum";

export class Account {
  limit = 10;

  constructor(public owner: string, private history: number[] = [0]) {}

  get balance() {
    return sum(this.history);
  }

  move(amount: number, force = false) {
    const after = this.balance + amount;
    if (after < 0 && !force) {
      throw new Error(`${this.owner} has ${this.balance}, not ${amount}`);
    }
    let step = 0;
    for (const known of this.history) {
      if (known === after) break;
      step += 1;
    }
    this.history.push(amount);
    while (this.history.length > this.limit) {
      const [first, second] = this.history.splice(0, 2);
      this.history.unshift(first + second);
    }
    return { after, step };
  }
}

export async function transfer(source: Account, target: Account, amount: number) {
  const taken = source.move(-amount);
  try {
    const given = await target.move(amount);
    return [taken.after, given?.after ?? 0];
  } catch (error) {
    source.move(amount, true);
    return null;
  }
}

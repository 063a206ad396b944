import type { Id } from './id';

export type Name = string;

/** A user. */
export interface User<T = unknown> extends Named {
  readonly id: Id;
  name?: Name;
  greet(other: User): string;
}

export enum Role {
  Admin = 'admin',
  Guest = 'guest',
}

declare module 'express' {
  interface Request {
    user: User;
  }
}

export namespace Users {
  export const all: User[] = [];
  export function find(id: Id): User | undefined {
    return all.find((user) => user.id === id);
  }
}

@Injectable()
export class Service implements Finder {
  private cache = new Map<Id, User>();

  constructor(private readonly http: Http) {}

  @Cached(60)
  get(id: Id): Promise<User>;
  get(id: Id, fresh = false): Promise<User> {
    return this.http.get<User>(`/users/${id}`);
  }

  protected abstract close(): void;
}

export abstract class Shape {
  abstract area(): number;
}

export function parse(text: string): User;
export function parse(text: unknown): User {
  return text as User;
}

export const twice = <T,>(x: T): [T, T] => [x, x];

declare function external(a: number): void;
declare const VERSION: string;

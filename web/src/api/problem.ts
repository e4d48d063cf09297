/** What went wrong, as the server tells it or as it is here. */

import type { Problem } from "./names";

export type { Problem };

/** An answer that was none; `status` 0: nobody answered at all. */
export class Failure extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail || problem.title);
    this.problem = problem;
  }

  get status(): number {
    return this.problem.status;
  }
}

export const unreachable = (): Failure => new Failure({ title: "", status: 0 });

/** The problem in an answer that did not succeed; one without a body of that form is told by its status. */
export async function failureOf(response: Response): Promise<Failure> {
  const told: unknown = await response.json().catch(() => null);
  return new Failure(isProblem(told) ? told : { title: response.statusText, status: response.status });
}

function isProblem(told: unknown): told is Problem {
  return typeof told === "object" && told !== null && "title" in told && "status" in told;
}

/** Whether somebody here broke it off themselves. */
export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === "AbortError";

export { type Evaluation, evaluate, type Verdict } from "./evaluate";
export { type LabelledChange, LabelledSetError } from "./labelled-set";
export { readLabelledSet } from "./read-labelled-set";

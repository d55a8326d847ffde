// Only types: see types.d.ts.
export {};

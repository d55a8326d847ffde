// In place of Storybook, which is large: what the kit's declarations augment.

declare module "storybook/internal/types" {
  export interface Parameters {
    [name: string]: any; // as in Storybook
  }
}

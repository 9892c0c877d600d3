"""How a pool of candidates is filtered."""

from pydantic import Field

from situatedgen.params import Params


class FilterParams(Params):
    """Algorithm 1 of the SWAG paper: its numbers, and when to stop."""

    wrong: int = Field(3, ge=1, description="Wrong candidates an item is given (k).")
    population: int = Field(1023, ge=2, description="Wrong candidates of an item that are looked at, at most (N⁻).")
    train_share: float = Field(0.8, gt=0, lt=1, description="Share of the items that the models learn from.")
    replacements: int = Field(2, ge=1, description="Easy wrong candidates of an item replaced at once, at most.")
    memory: float = Field(
        0.6, ge=0, lt=1, description="Share of what earlier models thought in what is replaced; 0: the last alone."
    )
    seed: int = Field(0, ge=0, description="Seed of the first choice, the parts and the models.")
    max_iterations: int = Field(60, ge=1, description="Iterations at most.")
    patience: int = Field(10, ge=1, description="Iterations without a new lowest accuracy after which it stops.")
    min_fall: float = Field(0.005, ge=0, lt=1, description="A lowest accuracy is new when it is lower by this.")

    @property
    def cycle(self) -> int:
        """The iterations in which every item is held out once."""
        return max(2, round(1 / (1 - self.train_share)))


STOPPING = ("max_iterations", "patience", "min_fall")
"""Params that say when to stop, and nothing about what an iteration does."""

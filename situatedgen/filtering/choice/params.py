"""How questions of situated choice are made."""

from pydantic import Field

from situatedgen.params import Params


class ChoiceParams(Params):
    """Which pairs become questions, and among how many regroupings their wrong answers are chosen."""

    wrong: int = Field(3, ge=1, description="Wrong answers of a question.")
    min_population: int = Field(5, ge=1, description="Pairs with fewer regroupings than this are left out.")
    population: int = Field(24, ge=2, description="Regroupings of a pair that are looked at, at most (N⁻).")
    uses: int = Field(10, ge=1, description="Questions of one split that a statement may stand in, at most.")
    seed: int = Field(0, ge=0, description="Seed of the pairs, the regroupings and the order of the answers.")
